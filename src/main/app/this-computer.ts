/** What is said of the app and of the computer it runs on. Read from the system's files: nothing is started. */
import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { RequestResult } from '../../shared/contract/api.ts';
import type { Hardware } from '../../shared/node/hardware.ts';
import type { Platform } from '../base/platform.ts';

export const aboutApp = async (
  { version, kind, paths, secrets }: Pick<Platform, 'version' | 'kind' | 'paths' | 'secrets'>,
  replaced: boolean,
): Promise<RequestResult<'app.info'>> => ({
  version,
  host: kind,
  platform: process.platform,
  dataFolder: paths.data,
  secrets: secrets.kind,
  replaced,
  hardware: await thisHardware(),
});

/**
 * The hardware of this computer, which its local nodes share.
 * @param driver where NVIDIA's kernel module lists its GPUs
 */
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
