/**
 * Finding 7: a client of rank 0's port is not a rank. The app's side: every start has a secret, which is only where
 * it is needed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emptyLab } from '../../shared/lab/lab.ts';
import type { RunRecord } from '../../shared/run/run.ts';
import { commandScript } from '../run/launch/command-script.ts';
import { createBench, type Bench } from '../run/testing/bench.ts';

let folder = '';
let bench: Bench | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-secret-'));
});
afterEach(async () => {
  await bench?.close();
  bench = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const filesBelow = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

it('finding 7: a start’s secret is only in the ranks’ folders, in files with mode 600', async () => {
  bench = await createBench({ nodes: 2, epochs: 1, steps: 8, secondsAStep: 0.25 });
  const events: unknown[] = [];
  bench.events.subscribe((event) => events.push(event));
  const { runId: id } = await bench.runs.start(bench.lab);
  const run = await bench.until(id, 'running', 60);
  const files = run.ranks.map(({ rank }) => join(bench!.rankFolder(id, rank), 'secret-1'));
  const secrets = files.map((file) => readFileSync(file, 'utf8'));
  const [secret = ''] = secrets;
  expect(secret).toMatch(/^[0-9a-f]{64}\n$/);
  expect(secrets).toEqual([secret, secret]);
  for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o600);
  for (const { argv, process } of run.ranks) {
    expect(argv).toContain('--secret-file');
    for (const place of ['cmdline', 'environ'])
      expect(readFileSync(`/proc/${process?.pid}/${place}`, 'utf8')).not.toContain(secret.trim());
  }
  const others = filesBelow(bench.folder).filter((file) => !files.includes(file));
  expect(others.some((file) => file.endsWith('launch.sh'))).toBe(true);
  for (const file of others) {
    const content = await readFile(file, 'latin1').catch((error: unknown) => {
      // What ranks write is renamed when it is whole, and read under its other name.
      if (file.endsWith('.tmp')) return '';
      throw error;
    });
    expect(content, file).not.toContain(secret.trim());
  }
  expect(JSON.stringify(await bench.runs.get(id))).not.toContain(secret.trim());

  expect(JSON.stringify(events)).not.toContain(secret.trim());

  // It goes when the ranks go, and another start has another one.
  await bench.until(id, 'finished', 60);
  expect(filesBelow(bench.folder).filter((file) => /secret-/.test(file))).toEqual([]);
  const again = await bench.runs.start(bench.lab);
  await bench.until(again.runId, 'running', 60);
  expect(readFileSync(join(bench.rankFolder(again.runId, 0), 'secret-1'), 'utf8')).not.toBe(secret);
}, 200_000);

it('finding 7: the exported commands.sh generates a secret, and no command has it as an argument', async () => {
  const ranks = [0, 1].map((rank) => ({
    rank,
    nodeId: 'n',
    nodeName: 'n',
    directory: join(folder, `rank ${rank}`),
    env: {},
    argv: ['sh', '-c', 'cat "$2" >seen', 'sh', '--secret-file', 'secret-3'],
  }));
  const run = { id: 'r', name: 'r', attempt: 3, lab: emptyLab('l', 'L'), ranks };
  const script = join(folder, 'commands.sh');
  // What a script is made of.
  writeFileSync(script, commandScript(run as unknown as RunRecord));
  mkdirSync(join(folder, 'rank 1'));
  const waiting = spawn('sh', [script, '1'], { stdio: 'ignore' });
  const ended = new Promise((resolve) => waiting.on('close', resolve));
  execFileSync('sh', [script, '0'], { stdio: 'ignore' });
  expect(await ended).toBe(0);
  const secret = readFileSync(join(folder, 'rank 0/seen'), 'utf8');
  expect(secret).toMatch(/^[0-9a-f]{64}\n$/);
  expect(readFileSync(join(folder, 'rank 1/seen'), 'utf8')).toBe(secret);
  for (const rank of [0, 1]) expect(statSync(join(folder, `rank ${rank}/secret-3`)).mode & 0o777).toBe(0o600);
  expect(readFileSync(script, 'utf8')).not.toContain(secret.trim());
});

it('finding 7: on another machine than rank 0’s, commands.sh asks for the secret and does not start without it', () => {
  const ranks = [0, 1].map((rank) => ({
    rank,
    nodeId: `n${rank}`,
    nodeName: 'n',
    directory: join(folder, `rank-${rank}`),
    env: {},
    argv: ['touch', 'started', '--secret-file', 'secret-1'],
  }));
  const run = { id: 'r', name: 'r', attempt: 1, lab: emptyLab('l', 'L'), ranks };
  const script = join(folder, 'commands.sh');
  writeFileSync(script, commandScript(run as unknown as RunRecord)); // what a script is made of
  // A session of its own has no terminal to ask on.
  expect(() => execFileSync('setsid', ['-w', 'sh', script, '1'], { stdio: 'pipe' })).toThrow(/chmod 600/);
  expect(readdirSync(join(folder, 'rank-1'))).toEqual([]);
});
