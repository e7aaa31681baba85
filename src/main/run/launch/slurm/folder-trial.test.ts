import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newSlurmTarget } from '../../../../shared/lab/where.ts';
import { createLocalShell, programsOnly } from '../../../ssh/testing/local-shell.ts';
import { trialOf, trialScript } from './folder-trial.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-trial-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

/** @param srun the program's text */
async function tried(srun: string, change: Parameters<typeof trialScript>[0] = newSlurmTarget()) {
  const path = programsOnly(join(folder, 'bin'), { srun: `#!/bin/sh\n${srun}\n` });
  const shell = createLocalShell({ home: folder, path: `${path}:/usr/bin:/bin` });
  const result = await shell.exec(trialScript(change, false));
  expect((await readdir(join(folder, '.ringlab'))).filter((name) => name.startsWith('.shared'))).toEqual([]);
  return trialOf(result, 'login');
}

describe('whether compute nodes see the home folder', () => {
  it('is read in a short job, with what the lab names of the cluster; no file stays', async () => {
    const target = {
      ...newSlurmTarget(),
      partition: 'gpu',
      account: 'lab',
      options: ['--constraint=ib', '-C a100'],
    };
    const found = await tried('while [ "$1" != sh ]; do shift; done; exec "$@"', target);
    expect(found).toMatchObject({ state: 'shared', folder: join(folder, '.ringlab') });
    const script = trialScript(target, false);
    expect(script).not.toContain('--gres');
    for (const option of ['--partition=gpu', '--account=lab', '--constraint=ib', '-C a100', '--time=1'])
      expect(script.replaceAll("'", '')).toContain(option);
  });
  it('they do not where the file has another content, or none, there', async () => {
    expect(await tried('echo "read node1 "')).toMatchObject({ state: 'apart', node: 'node1' });
    expect(await tried(`echo "read node1 ${'a'.repeat(32)}"`)).toMatchObject({ state: 'apart' });
  });
  it('is not known where no node is free', async () => {
    const busy = 'echo "srun: error: Unable to allocate resources: Requested nodes are busy" >&2; exit 1';
    expect(await tried(busy)).toEqual({ state: 'busy', seconds: 30 });
  });
  it('is asked of a node with a GPU where the lab has them, as a partition may demand one', () => {
    expect(trialScript({ ...newSlurmTarget(), gpuType: '' }, true)).toContain('--gres=gpu:1');
    expect(trialScript({ ...newSlurmTarget(), gpuType: 'h100' }, true)).toContain('--gres=gpu:h100:1');
  });
  it('is not known where the controller does not answer, which does not say that all nodes are in use', async () => {
    const silent =
      'echo "srun: error: Unable to allocate resources: Socket timed out on send/recv operation" >&2; exit 1';
    await expect(tried(silent)).rejects.toMatchObject({
      code: 'cluster_silent',
      params: { cluster: 'login' },
    });
  });
  it('fails with Slurm’s words where it does not take the job', async () => {
    const refused = 'echo "srun: error: Unable to allocate resources: Invalid account" >&2; exit 1';
    await expect(tried(refused)).rejects.toMatchObject({
      code: 'job_refused',
      params: { reason: 'Unable to allocate resources: Invalid account' },
    });
  });
});
