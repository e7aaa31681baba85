import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { makeArtifact } from './artifacts.ts';
import type { RunServices } from '../record/services.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-artifacts-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = {
  id: 'r',
  name: 'run',
  lab: emptyLab('l', 'lab'),
  ranks: [{ rank: 0, nodeId: 'n', directory: '/node/rank-0' }],
} as unknown as RunRecord; // makeArtifact looks at these fields of a checkpoint's run and at no others

it('fetches a checkpoint once, however many ask for it at the same time', async () => {
  const content = 'checkpoint';
  const sha256 = createHash('sha256').update(content).digest('hex');
  let under = 0;
  let most = 0;
  let downloads = 0;
  const session = {
    exec: () => Promise.resolve({ code: 0, signal: null, stdout: `${sha256}  -\n`, stderr: '' }),
    async download(_remote: string, path: string) {
      downloads += 1;
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setTimeout(resolve, 20));
      await writeFile(path, content);
      under -= 1;
      return { bytes: content.length };
    },
  };
  const services = {
    store: { runFolder: () => folder },
    reach: { session: () => Promise.resolve(session) },
  } as unknown as RunServices; // a stand-in with the two services that fetching uses
  const files = await Promise.all([1, 2, 3].map(() => makeArtifact(services, run, 'model_best.pth.tar')));
  expect(most).toBe(1);
  expect(downloads).toBe(1);
  for (const file of files) expect(await readFile(file.path, 'utf8')).toBe(content);
});
