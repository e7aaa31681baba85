/** Tests of files that a script wrote: fetched from the run's copy of the code, through a real shell, never from outside. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import { outputRef } from '../../../shared/run/run-outputs.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { RunServices } from '../record/services.ts';
import { createShellReach } from '../testing/shell-session.ts';
import { makeArtifact } from './artifacts.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-outputs-'));
  await mkdir(join(folder, 'node', 'runs', 'r', 'code', 'src', 'out'), { recursive: true });
  await mkdir(join(folder, 'node', 'runs', 'r', 'rank-1'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function setUp() {
  const node = join(folder, 'node');
  const lab = emptyLab('l', 'lab');
  const script = {
    source: { type: 'folder' as const, path: '/code' },
    file: 'train.py',
    arguments: '',
    workingFolder: 'src',
  };
  const run = {
    id: 'r',
    name: 'run',
    lab: { ...lab, experiment: { ...lab.experiment, script } },
    ranks: [{ rank: 1, nodeId: 'n', nodeName: 'N', directory: join(node, 'runs', 'r', 'rank-1') }],
  } as unknown as RunRecord; // makeArtifact reads only these fields
  const reach = createShellReach(new Map([['n', { home: node }]]));
  const services = {
    store: { runFolder: () => join(folder, 'app') },
    reach,
  } as unknown as RunServices; // a fake with the two services that fetching uses
  const work = join(node, 'runs', 'r', 'code', 'src');
  return { run, reach, services, work };
}

it('fetches a file of the working folder, again when it changed, and has it when the node is gone', async () => {
  const { run, reach, services, work } = setUp();
  const ref = outputRef({ rank: 1, path: "src/out/it's best-0.9.pt" });
  await writeFile(join(work, 'out', "it's best-0.9.pt"), 'first');
  const { path, name, bytes } = await makeArtifact(services, run, ref);
  expect([name, bytes]).toEqual(['it_s_best-0.9.pt', 5]);
  expect(await readFile(path, 'utf8')).toBe('first');
  await writeFile(join(work, 'out', "it's best-0.9.pt"), 'second one');
  expect((await makeArtifact(services, run, ref)).bytes).toBe(10);
  reach.cut('n');
  expect(await readFile((await makeArtifact(services, run, ref)).path, 'utf8')).toBe('second one');
});

it('fetches nothing from outside of the run’s folder, and nothing that is not there', async () => {
  const { run, services, work } = setUp();
  await writeFile(join(folder, 'node', 'secret.pt'), 'secret');
  await symlink(join(folder, 'node', 'secret.pt'), join(work, 'link.pt'));
  await symlink(join(folder, 'node'), join(work, 'up'));
  // Its second line is the secret's path.
  const split = join(work, `x\n${join(folder, 'node')}`);
  await mkdir(split, { recursive: true });
  await writeFile(join(split, 'secret.pt'), 'x');
  await symlink(join(split, 'secret.pt'), join(work, 'lines.pt'));
  const outside = ['src/link.pt', 'src/up/secret.pt', 'src/lines.pt'];
  for (const path of [...outside, 'src/none.pt', 'src/out', 'own.pt']) {
    await expect(makeArtifact(services, run, outputRef({ rank: 1, path }))).rejects.toMatchObject({
      code: 'output_missing',
    });
  }
  await writeFile(join(work, 'own.pt'), 'x');
  await expect(makeArtifact(services, run, outputRef({ rank: 7, path: 'src/own.pt' }))).rejects.toMatchObject(
    {
      code: 'output_missing',
    },
  );
});
