/** The command line as processes of its own, killed and started twice, with the real trainer: one run, one set of ranks. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultPlacement, emptyLab, formatLab } from '../../shared/lab.ts';
import { killBelow } from '../run/testing/bench.ts';
import { trainerIsBuilt } from '../run/testing/real-services.ts';

const program = fileURLToPath(new URL('../hosts/cli/main.ts', import.meta.url));
let folder: string;
const commands: Command[] = [];

interface Command {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<number | null>;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-command-'));
});
afterEach(async () => {
  for (const { child } of commands.splice(0)) child.kill('SIGKILL');
  await killBelow(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

function ringlab(...args: string[]): Command {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, ...args, '--data', join(folder, 'data')],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, RINGLAB_NETWORK: 'off' } },
  );
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (said.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (said.stderr += text.toString()));
  const command: Command = {
    child,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
  commands.push(command);
  return command;
}

async function labFile(epochs: number): Promise<string> {
  const lab = emptyLab('twice', 'Twice');
  lab.nodes = ['a', 'b'].map((id) => ({
    id,
    name: `Node ${id}`,
    kind: 'cpu',
    position: { x: 0, y: 0 },
    placement: defaultPlacement('cpu'),
    access: { type: 'local' },
  }));
  const data = { type: 'shapes', train: 120, validation: 20, size: 16, seed: 1 } as const;
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  lab.experiment = { ...lab.experiment, data, epochs, batchSize: 20, port };
  const path = join(folder, 'twice.lab.json');
  await writeFile(path, formatLab(lab));
  return path;
}

/** Runs of which a rank lives now, each once for each of its ranks. */
async function liveRanks(): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    const [, run] = /\/runs\/([^/]+)\/rank-\d+$/.exec(cwd) ?? [];
    if (cwd.startsWith(folder) && run !== undefined && words.includes('--dist-url') && words[0] !== 'env')
      found.push(run);
  }
  return found;
}

const lastLine = ({ stdout }: Command): Record<string, unknown> =>
  JSON.parse(stdout().trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;
const patience = { timeout: 120_000, interval: 100 };
const untilSaid = (command: Command, words: string | RegExp): Promise<void> =>
  expect.poll(command.stderr, patience).toMatch(words);
const trains = (): Promise<void> => expect.poll(async () => (await liveRanks()).length, patience).toBe(2);

describe.skipIf(!trainerIsBuilt)('ringlab run, more than once', () => {
  it('finding: killed in mid-run and typed again: the second goes on with the run, whose ranks are the only ones', async () => {
    const lab = await labFile(400);
    const first = ringlab('run', lab);
    await trains();
    const [run = ''] = await liveRanks();
    first.child.kill('SIGKILL');
    await first.ended;
    const second = ringlab('run', lab);
    await untilSaid(second, `This lab is running already: Twice (run ${run}`);
    await untilSaid(second, /epoch \d+: validation/);
    expect(await liveRanks()).toEqual([run, run]);
    const beside = ringlab('runs', '--json');
    expect(await beside.ended).toBe(0);
    expect(lastLine(beside)).toMatchObject([{ id: run, stateKnown: true, name: 'Twice' }]);
    const stop = ringlab('stop', 'Twice');
    expect(await stop.ended).toBe(0);
    expect(lastLine(stop)).toMatchObject({ run, state: 'stopped' });
    expect(await second.ended).toBe(1);
    expect(lastLine(second)).toMatchObject({ run, state: 'stopped' });
    expect(await liveRanks()).toEqual([]);
  }, 400_000);

  it('typed twice at the same moment: one run, which both see to its end', async () => {
    const lab = await labFile(3);
    const both = [ringlab('run', lab, '--out', 'one'), ringlab('run', lab, '--out', 'two')];
    let most = 0;
    const watching = setInterval(
      () => void liveRanks().then(({ length }) => (most = Math.max(most, length))),
      200,
    );
    const codes = await Promise.all(both.map(({ ended }) => ended));
    clearInterval(watching);
    expect(codes, both.map(({ stderr }) => stderr()).join('\n')).toEqual([0, 0]);
    const [one, two] = both.map(lastLine);
    expect(one?.run).toBe(two?.run);
    expect([one, two]).toMatchObject([{ state: 'finished' }, { state: 'finished' }]);
    expect(most).toBeLessThanOrEqual(2);
    for (const out of ['one', 'two'])
      expect(await readdir(join(folder, out))).toContain('checkpoint.pth.tar');
  }, 400_000);

  it('killed in mid-preparation and typed again: what was begun is over, and the new run is the only one', async () => {
    const lab = await labFile(2);
    const first = ringlab('run', lab);
    await untilSaid(first, /facts: ready/);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = ringlab('run', lab);
    expect(await second.ended, second.stderr()).toBe(0);
    const list = ringlab('runs', '--json');
    await list.ended;
    const runs = lastLine(list) as unknown as { id: string; state: string }[];
    expect(runs.map(({ state }) => state).sort()).toEqual(['finished', 'interrupted']);
    expect(runs.find(({ state }) => state === 'finished')?.id).toBe(lastLine(second).run);
  }, 400_000);

  it('beside an open window that is killed in mid-run: the command goes on by itself to the end', async () => {
    const window = ringlab('serve', '--no-open');
    await expect.poll(window.stdout, patience).toContain('http://127.0.0.1');
    const run = ringlab('run', await labFile(30));
    await trains();
    window.child.kill('SIGKILL');
    await untilSaid(run, /process \d+\) has ended; going on without it/);
    run.child.kill('SIGINT');
    await untilSaid(run, 'stopping after this step');
    expect(await run.ended).toBe(1);
    expect(['stopped', 'finished']).toContain(lastLine(run).state);
    expect(await liveRanks()).toEqual([]);
  }, 400_000);
});
