/** What counts as written by a script in the run's copy of its code. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunRecord } from '../../../shared/run/run.ts';
import { codeCopy, copiedMark } from '../../base/node-layout.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { readFolder } from '../../transfer/index.ts';
import { copyScript } from '../launch/script-launch.ts';
import type { RunServices } from '../record/services.ts';
import { writtenFiles } from './script-files.ts';

let home: string;
let copy: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'script-files-'));
  copy = codeCopy(home, 'r1');
  const sent = join(home, 'sent');
  await mkdir(join(sent, 'a b'), { recursive: true });
  await writeFile(join(sent, 'best.pt'), 'old-old-old-');
  await writeFile(join(sent, 'a b', 'same.txt'), 'same');
  await writeFile(join(sent, 'train.py'), 'x');
  await writeFile(join(sent, 'prepare.sh'), 'x', { mode: 0o555 });
  execFileSync('sh', ['-c', copyScript(sent, copy)]);
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function written(): Promise<string[]> {
  const manifest = await readFolder(join(home, 'sent'), { parts: await readdir(join(home, 'sent')) });
  const code = { hash: 'h', files: 4, bytes: 1 };
  const rank = { rank: 0, nodeId: 'n', nodeName: 'n', directory: join(home, '.ringlab/runs/r1/rank-0') };
  // As much of a record and of the services as is read.
  const run = { id: 'r1', name: 'r', lab: {}, code, ranks: [rank] } as unknown as RunRecord;
  const services = {
    reach: { session: () => Promise.resolve(createLocalShell({ home })) },
    code: { kept: () => Promise.resolve({ manifest, code }) },
  } as unknown as Pick<RunServices, 'reach' | 'code'>;
  return (await writtenFiles(services, run)).map(({ path }) => path);
}

it('a new file, and one that was sent and has other content of the same size', async () => {
  expect(await written()).toEqual([]);
  await writeFile(join(copy, 'best.pt'), 'NEW-NEW-NEW-');
  await writeFile(join(copy, 'a b', 'same.txt'), 'same');
  await writeFile(join(copy, 'log.csv'), 'log');
  execFileSync('sh', ['-c', 'echo y >>prepare.sh && [ -x prepare.sh ]'], { cwd: copy });
  expect(await written()).toEqual(['best.pt', 'log.csv', 'prepare.sh']);
});

it('the same in a copy of a version that left no mark', async () => {
  await rm(join(copy, copiedMark));
  expect(await written()).toEqual([]);
  await writeFile(join(copy, 'best.pt'), 'NEW-NEW-NEW-');
  expect(await written()).toEqual(['best.pt']);
});
