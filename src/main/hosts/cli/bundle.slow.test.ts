/** `ringlab bundle` as a process for an own script with PyTorch's wheels, and the node that is prepared from it. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { haveUv } from '../../provision/testing/wheels-bench.ts';
import { trainerIsBuilt } from '../../run/testing/real-services.ts';
import { plainWheel, standInTorch, startIndex, type SmallIndex } from '../../transfer/testing/small-index.ts';
import { createCommandBench, lastLine, type Command, type CommandBench } from './testing/processes.ts';

let bench: CommandBench;
let index: SmallIndex;
let lab = '';
beforeEach(async () => {
  bench = await createCommandBench();
  const torch = standInTorch('2.9.1');
  // What a script's step imports.
  const files = { ...torch.files, 'torch/distributed/__init__.py': 'def is_available(): return True\n' };
  index = await startIndex([{ ...torch, files }, plainWheel('tidy', '1.0')]);
  // This computer downloads from its own loopback only where the user lists it.
  process.env.RINGLAB_LOCAL_HOSTS = new URL(index.index).host;
  mkdirSync(bench.data, { mode: 0o700 });
  cpSync(resolve(import.meta.dirname, '../../../../.cache/uv'), join(bench.data, 'uv'), { recursive: true });
  mkdirSync(join(bench.folder, 'project'));
  writeFileSync(join(bench.folder, 'project', 'train.py'), 'import tidy\n');
  writeFileSync(join(bench.folder, 'project', 'requirements.txt'), 'torch\ntidy\n');
  lab = await bench.labFile('bundled', ['a'], {
    runtime: { type: 'wheels', indexes: [index.index] },
    script: {
      source: { type: 'folder', path: join(bench.folder, 'project') },
      file: 'train.py',
      arguments: '',
    },
  });
});
afterEach(async () => {
  delete process.env.RINGLAB_LOCAL_HOSTS;
  await index.close();
  await bench.close();
});

const long = { timeout: 400_000 };
async function done(...args: string[]): Promise<Command & { code: number | null }> {
  const command = bench.ringlab(...args, '--own-files');
  return { ...command, code: await command.ended };
}

describe.skipIf(!haveUv || !trainerIsBuilt)('ringlab bundle', () => {
  it(
    'of a lab with a script: its wheels, from which a node is prepared that no index answers',
    long,
    async () => {
      const made = await done('bundle', lab);
      expect(made.stderr()).not.toMatch(/error/i);
      expect(made.code).toBe(0);
      expect(lastLine(made)).toMatchObject({
        folder: join(bench.data, 'bundle'),
        wheels: [{ torch: '2.9.1', packages: 2 }],
      });
      await index.close();
      const prepared = await done('prepare', lab);
      const said = `${prepared.stdout()}${prepared.stderr()}`;
      expect(said).toMatch(/: ready$/m);
      const node = join(bench.data, 'nodes', 'bundled', 'a', 'home', '.ringlab', 'wheels');
      const [name = ''] = readdirSync(node).filter((one) => /^[0-9a-f]{16}$/.test(one));
      expect(readFileSync(join(node, name, '.ringlab-packages'), 'utf8')).toContain('tidy==1.0');
    },
  );

  it('imports none from a folder that holds none', long, async () => {
    const command = bench.ringlab('bundle', '--add', bench.folder);
    expect(await command.ended).toBe(2);
    expect(command.stderr()).toContain(`${join(bench.folder, 'bundle.json')} cannot be read`);
  });

  it('refuses what is no version of CUDA', long, async () => {
    const { code, stderr } = await done('bundle', lab, '--cuda', 'newest');
    expect(stderr()).toMatch(/--cuda.*must be a version as 12\.4, not “newest”/);
    expect(code).toBe(2);
  });
});
