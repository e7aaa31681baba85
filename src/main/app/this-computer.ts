/** The hardware of this computer, which its local nodes share. Read from the system's files: nothing is started. */
import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Hardware } from '../../shared/node/hardware.ts';

/** @param driver where NVIDIA's kernel module lists its GPUs */
export async function thisHardware(driver = '/proc/driver/nvidia/gpus'): Promise<Hardware> {
  const names = await readdir(driver).catch(() => []);
  const gpus = await Promise.all(
    names.sort().map(async (name) => {
      const text = await readFile(join(driver, name, 'information'), 'utf8').catch(() => '');
      return /^Model:\s*(.+)$/m.exec(text)?.[1]?.trim() ?? 'NVIDIA GPU';
    }),
  );
  return { cpus: availableParallelism(), memoryBytes: totalmem(), gpus };
}
