/** `ringlab run --script` as a process, on local nodes: what it prints, and each kind of bad input as its user sees it. */
import { cpSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { haveUv } from '../../provision/testing/wheels-bench.ts';
import { runsScripts } from '../../run/testing/script-bench.ts';
import { plainWheel, standInTorch, startIndex, type SmallIndex } from '../../transfer/testing/small-index.ts';
import { createCommandBench, lastLine, type Command, type CommandBench } from './testing/processes.ts';

let bench: CommandBench;
let lab = '';
const servers: Server[] = [];
const indexes: SmallIndex[] = [];
beforeEach(async () => {
  bench = await createCommandBench();
  lab = await bench.labFile('scripts', ['a', 'b'], {});
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  for (const index of indexes.splice(0)) await index.close();
  await bench.close();
});

const long = { timeout: 400_000 };

function put(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const full = join(bench.folder, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text, { mode: 0o755 });
  }
}
/** To its end. */
async function done(...args: string[]): Promise<Command & { code: number | null }> {
  const command = bench.ringlab(...args);
  return { ...command, code: await command.ended };
}
const script = (...more: string[]): Promise<Command & { code: number | null }> =>
  done('run', '--script', 'project/train.py', '--source', 'project', '--nodes', lab, ...more);

/** Refused while nodes are prepared: the run is recorded as failed, and no rank was started. */
function refused(command: Command & { code: number | null }, reason: RegExp): void {
  expect(command.stderr()).toMatch(reason);
  expect(command.code).toBe(1);
  expect(lastLine(command)).toMatchObject({ state: 'failed', nodes: [] });
}

/** Stands for a Python with torch: answers what is asked of it before a run. */
const standInPython = (python: string, torch: string): string => `#!/bin/sh
case "$2" in
  *version.py*) echo "torch ${python} ${torch} - 1" ;;
  *find_spec*) echo /nowhere/torch ;;
esac
`;

describe.skipIf(!runsScripts)('ringlab run --script', () => {
  it('prints one JSON object with what it found; the files of the script come to --out', long, async () => {
    put({
      'project/train.py': `
import argparse, os
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
args = parser.parse_args()
for step in range(5): print(f"step {step} loss: {args.lr / (step + 1)}", flush=True)
if os.environ["RANK"] == "0": open("model.pt", "w").write("weights")
`,
    });
    const command = await script('--runtime', 'system', '--out', 'out', '--', '--lr', '0.5');
    expect(command.code, command.stderr()).toBe(0);
    expect(command.stdout().trim().split('\n')).toHaveLength(1);
    expect(lastLine(command)).toMatchObject({
      state: 'finished',
      scalars: expect.arrayContaining(['loss']) as string[],
      files: [join(bench.folder, 'out', 'model.pt')],
      code: expect.stringMatching(/^[0-9a-f]+$/) as string,
    });
    expect(readFileSync(join(bench.folder, 'out', 'model.pt'), 'utf8')).toBe('weights');
    expect(command.stderr()).toContain('Sent to the nodes: 1 file, ');
    expect(command.stderr()).toContain('loss: 0.1');
  });

  it(
    'says what the doctor recognises in what a failed script printed, once for all ranks',
    long,
    async () => {
      put({ 'project/train.py': 'print("loss: 0.5", flush=True)\ninput("Overwrite? ")\n' });
      const command = await script('--runtime', 'system');
      expect(command.code).toBe(1);
      expect(command.stderr()).toContain('EOFError: EOF when reading a line');
      expect(command.stderr().match(/The script asks a question/g)).toHaveLength(1);
    },
  );

  it('with no such script, or 20 GB beside it: refused at once, and nothing is recorded', long, async () => {
    put({ 'project/train.py': '', 'project/data/huge.bin': '' });
    truncateSync(join(bench.folder, 'project/data/huge.bin'), 20 * 1024 ** 3);
    const absent = await done('run', '--script', 'project/absent.py', '--nodes', lab);
    expect([absent.code, absent.stdout()]).toEqual([2, '']);
    expect(absent.stderr()).toContain('absent.py');
    const large = await script();
    expect([large.code, large.stdout()]).toEqual([2, '']);
    expect(large.stderr()).toMatch(/too large to send.*data\/ \(1, 20480\.0 MiB\)/);
    expect(large.stderr()).toContain('.ringlabignore');
    expect((await done('runs', '--json')).stdout().trim()).toBe('[]');
    expect(existsSync(join(bench.data, 'nodes', 'scripts'))).toBe(false);
  });

  it('with a syntax error: the line, before anything is installed', long, async () => {
    put({ 'project/train.py': 'import os\n\ndef f(:\n' });
    refused(await script(), /Python cannot compile train\.py: line 3: SyntaxError/);
  });

  it('from a repository that wants a password: says so, and asks nothing', long, async () => {
    const server = createServer((_, response) =>
      response.writeHead(401, { 'WWW-Authenticate': 'Basic' }).end(),
    );
    servers.push(server);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    // Listening on TCP, it has an address with a port.
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/private.git`;
    refused(await done('run', '--script', 'train.py', '--source', url, '--nodes', lab), /wants a login/);
  });

  it('on nodes with different Pythons, or different PyTorch: both nodes are named', long, async () => {
    const python = (node: string, version: string, torch: string): void =>
      put({ [`data/nodes/scripts/${node}/home/env/bin/python3`]: standInPython(version, torch) });
    put({ 'project/train.py': '' });
    mkdirSync(bench.data, { mode: 0o700 });
    python('a', '3.11.2', '2.9.1');
    python('b', '3.12.1', '2.9.1');
    const runtime = ['--runtime', 'existing:~/env'];
    const pythons = /different Python: Node a has 3\.11, Node b has 3\.12/;
    refused(await script(...runtime), pythons);
    python('b', '3.11.4', '2.8.0');
    refused(await script(...runtime), /different torch: Node a has 2\.9\.1, Node b has 2\.8\.0/);
  });

  it.skipIf(!haveUv)('with a requirement that cannot be resolved: uv’s own reason first', long, async () => {
    const index = await startIndex([plainWheel('numpy', '2.0.0'), standInTorch('2.9.1')]);
    indexes.push(index);
    mkdirSync(bench.data, { mode: 0o700 });
    cpSync(resolve(import.meta.dirname, '../../../../.cache/uv'), join(bench.data, 'uv'), {
      recursive: true,
    });
    lab = await bench.labFile('scripts', ['a'], { runtime: { type: 'wheels', indexes: [index.index] } });
    put({ 'project/train.py': '', 'project/requirements.txt': 'torch\nno-such-package\n' });
    const command = await script();
    refused(command, /cannot be installed together: Because no-such-package was not found/);
    expect(command.stderr()).toContain('No environment was changed.');
  });
});
