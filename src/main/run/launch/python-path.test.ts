/** What a script's process finds in PYTHONPATH on a node that has one of its own (an image, a module, ~/.bashrc). */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Runtime } from '../../../shared/lab/runtime.ts';
import { casesScript, rankCase } from './command-script.ts';
import { orderFiles } from './order-files.ts';
import { pythonPath } from './python-path.ts';

const run = promisify(execFile);
const argv = ['sh', '-c', 'printf %s "${PYTHONPATH-none}" >"$RANK_DIR/path"'];
let directory: string;
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'python-path-')), 'rank-0');
  await mkdir(directory);
});
afterEach(() => rm(join(directory, '..'), { recursive: true, force: true }));

/** The same of the launcher and of commands.sh, begun by a shell whose own is `has`. */
async function seen(path: string | undefined, has: string | undefined): Promise<string> {
  const variables = { ...process.env, PYTHONPATH: has };
  const env = { RANK_DIR: directory, ...(path === undefined ? {} : { PYTHONPATH: path }) };
  const order = { nodeId: 'n', label: 'rank-0', directory, argv, env, attempt: 1 };
  await run('sh', ['-c', orderFiles(order, '/proc/sys/kernel/random/boot_id')], { cwd: directory });
  await run('sh', ['launch.sh'], { cwd: directory, env: variables });
  const launched = await readFile(join(directory, 'path'), 'utf8');
  const rank = rankCase({ rank: 0, argv, env, directory }, []);
  await writeFile(join(directory, 'commands.sh'), casesScript([], [rank]));
  await run('sh', ['commands.sh', '0'], { cwd: directory, env: variables });
  expect(await readFile(join(directory, 'path'), 'utf8')).toBe(launched);
  return launched;
}

describe('PYTHONPATH of a script', () => {
  const existing: Runtime = { type: 'existing' };

  it('has our package in front of what the node’s Python is used with', async () => {
    const path = pythonPath('/it’s $HOME', undefined, existing);
    expect(await seen(path, '/app/lib:/b c')).toBe('/it’s $HOME:/it’s $HOME/ringlab/startup:/app/lib:/b c');
    expect(await seen(path, undefined)).toBe('/it’s $HOME:/it’s $HOME/ringlab/startup');
    expect(await seen(pythonPath(undefined, undefined, existing), '/app/lib')).toBe('/app/lib');
  });

  it('is without the node’s where the user sets it, or Ringlab made the environment', async () => {
    const ours = '/pkg:/pkg/ringlab/startup';
    expect(await seen(pythonPath('/pkg', '/own', existing), '/app/lib')).toBe(`${ours}:/own`);
    expect(await seen(pythonPath('/pkg', '', existing), '/app/lib')).toBe(ours);
    expect(await seen(pythonPath('/pkg', undefined, { type: 'wheels' }), '/app/lib')).toBe(ours);
  });
});
