import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chain } from '../../../shared/lab/topology.fixture.ts';
import { UsageError } from './command-line.ts';
import { scriptLab, type ScriptOptions } from './script-lab.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-script-'));
  await mkdir(join(folder, 'my code'));
  await writeFile(join(folder, 'my code', 'train.py'), 'pass\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const made = (change: Partial<ScriptOptions> = {}) =>
  scriptLab(chain(2), {
    script: join(folder, 'my code', 'train.py'),
    source: undefined,
    ref: undefined,
    runtime: undefined,
    torchrun: false,
    minNodes: undefined,
    args: [],
    ...change,
  });

describe('a script of the command line', () => {
  it('is its folder, its file and its arguments', async () => {
    const { experiment } = await made({ minNodes: '2', runtime: 'existing:~/env', args: ['--name', 'a b'] });
    expect(experiment.script).toMatchObject({
      source: { type: 'folder', path: join(folder, 'my code') },
      file: 'train.py',
      launch: 'torchrun',
      minNodes: 2,
    });
    expect(experiment.runtime).toEqual({ type: 'existing', path: '~/env' });
  });

  it.each(['0', '-3', 'abc', '1.5', '2:4', '1e3', '9'.repeat(30)])(
    '--min-nodes %s is refused in words of the option',
    async (minNodes) => {
      const refused = made({ minNodes });
      await expect(refused).rejects.toThrow(UsageError);
      await expect(refused).rejects.toThrow(`--min-nodes must be a number from 1 on, not “${minNodes}”`);
    },
  );

  it('--runtime names what it knows, and what was typed', async () => {
    for (const runtime of ['conda', 'existing:'])
      await expect(made({ runtime })).rejects.toThrow(
        `--runtime must be one of wheels, existing, existing:PATH, system, not “${runtime}”`,
      );
  });

  it('a folder is no script, and is not said to be absent', async () => {
    await expect(made({ script: join(folder, 'my code') })).rejects.toThrow(/my code is a folder.*module:/);
    await expect(made({ script: join(folder, 'none.py') })).rejects.toMatchObject({ code: 'not_found' });
  });
});
