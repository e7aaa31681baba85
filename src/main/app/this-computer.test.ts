import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { thisHardware } from './this-computer.ts';

it('the hardware of this computer is what it has: its cores, its memory, and each GPU of NVIDIA’s driver', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-gpus-'));
  const own = { cpus: availableParallelism(), memoryBytes: totalmem() };
  expect(await thisHardware(join(folder, 'none'))).toEqual({ ...own, gpus: [] });
  for (const [name, text] of [
    ['0000:01:00.0', 'Model: \t\t NVIDIA GeForce RTX 3080\nIRQ:   \t\t 120\n'],
    ['0000:02:00.0', 'IRQ: 121\n'],
  ] as const) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'information'), text);
  }
  expect(await thisHardware(folder)).toEqual({ ...own, gpus: ['NVIDIA GeForce RTX 3080', 'NVIDIA GPU'] });
  rmSync(folder, { recursive: true });
});
