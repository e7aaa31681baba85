/**
 * Full test of `run --queue`, `stop --force`, `resume` and `export` as processes, with the real app, local nodes and
 * the real trainer.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trainerIsBuilt } from '../../run/testing/real-services.ts';
import {
  createCommandBench,
  lastLine,
  patience,
  untilSaid,
  type Command,
  type CommandBench,
} from './testing/processes.ts';
import { severAtAnswer } from './testing/severed.ts';

let bench: CommandBench;
beforeEach(async () => {
  bench = await createCommandBench();
});
afterEach(async () => {
  await bench.close();
});

const long = 400;
/** Runs a command to its end. */
async function done(...args: string[]): Promise<Command & { code: number | null }> {
  const command = bench.ringlab(...args);
  return { ...command, code: await command.ended };
}
interface Listed {
  readonly id: string;
  readonly state: string;
  readonly epochsCompleted: number;
}
const runs = async (): Promise<Listed[]> =>
  // One line: what `runs --json` promises.
  lastLine(await done('runs', '--json')) as unknown as Listed[];
const begun = async (epochs: number, ...more: string[]): Promise<{ command: Command; run: string }> => {
  const command = bench.ringlab('run', await bench.labFile('queue', ['a'], { epochs }), ...more);
  await bench.trains(1);
  const [run = ''] = await bench.liveRanks();
  return { command, run };
};

describe.skipIf(!trainerIsBuilt)('the command line', () => {
  it('says its version', async () => {
    const asked = bench.ringlab('--version');
    expect(await asked.ended).toBe(0);
    expect(asked.stdout()).toMatch(/^ringlab \d+\.\d+\.\d+\n$/);
  });

  it('run --queue waits until the previous run is stopped by force; the checkpoints of both are fetched', async () => {
    const first = await begun(long, '--out', 'first');
    await untilSaid(first.command, /epoch 1: validation/);
    const queued = bench.ringlab(
      'run',
      await bench.labFile('queue', ['a'], { epochs: 1 }),
      '--queue',
      '--out',
      'second',
    );
    await expect.poll(runs, patience).toHaveLength(2);
    expect((await runs()).find(({ id }) => id !== first.run)).toMatchObject({ state: 'queued' });
    expect(await bench.liveRanks()).toEqual([first.run]);

    const stopped = await done('stop', first.run, '--force');
    expect(stopped.code, stopped.stderr()).toBe(0);
    expect(lastLine(stopped)).toMatchObject({ run: first.run, state: 'stopped' });
    expect(await first.command.ended).toBe(1);
    expect(lastLine(first.command)).toMatchObject({ run: first.run, state: 'stopped' });

    expect(await queued.ended, queued.stderr()).toBe(0);
    const second = lastLine(queued);
    expect(second).toMatchObject({ state: 'finished', epochs: 1 });
    expect(second.run).not.toBe(first.run);
    expect((await runs()).map(({ state }) => state).sort()).toEqual(['finished', 'stopped']);
    // Completed epochs are there, even of a killed run.
    expect(readdirSync(join(bench.folder, 'first'))).toContain('checkpoint.pth.tar');
    expect(readdirSync(join(bench.folder, 'second'))).toEqual(
      expect.arrayContaining(['checkpoint.pth.tar', 'model_best.pth.tar', 'metrics.csv', 'commands.sh']),
    );
  }, 900_000);

  it('two waiting runs start in their order, although a forced stop holds the queue', async () => {
    const first = await begun(long);
    const lab = await bench.labFile('queue', ['a'], { epochs: 1 });
    const second = bench.ringlab('run', lab, '--queue', '--out', 'second');
    await expect.poll(runs, patience).toHaveLength(2);
    const third = bench.ringlab('run', lab, '--queue', '--out', 'third');
    await expect.poll(runs, patience).toHaveLength(3);
    expect((await done('stop', first.run, '--force')).code).toBe(0);
    expect(await second.ended, second.stderr()).toBe(0);
    expect(await third.ended, third.stderr()).toBe(0);
    const [two, three] = [second, third].map(lastLine);
    expect(two?.run).not.toBe(three?.run);
    const [later, earlier] = await Promise.all(
      [three, two].map(async (one) => lastLine(await done('runs', String(one?.run), '--json'))),
    );
    expect(Number(later?.startedAt)).toBeGreaterThanOrEqual(Number(earlier?.endedAt));
  }, 900_000);

  it('resume continues from the checkpoint of a run stopped by force, and export fetches it', async () => {
    const { command, run } = await begun(long);
    await untilSaid(command, /epoch 2: validation/);
    expect((await done('stop', run, '--force')).code).toBe(0);
    await command.ended;
    const before = lastLine(await done('runs', run, '--json'));
    expect(before).toMatchObject({ state: 'stopped', attempt: 1 });
    expect(before.epochs).toBeGreaterThanOrEqual(1);

    // By a unique beginning of its id.
    const resumed = bench.ringlab('resume', run.slice(0, -2), '--out', 'resumed');
    await untilSaid(resumed, new RegExp(`epoch ${Number(before.epochs) + 2}: validation`));
    expect(resumed.stderr()).not.toMatch(/epoch 1: validation/);
    const twice = await done('resume', run);
    expect(twice.code).toBe(1);
    expect(twice.stderr()).toContain('Lab queue: That cannot be done while the run is running');
    const stopped = await done('stop', 'Lab queue');
    expect(stopped.code, stopped.stderr()).toBe(0);
    expect(await resumed.ended).toBe(1);
    const after = lastLine(await done('runs', run, '--json'));
    expect(after).toMatchObject({ state: 'stopped', attempt: 2 });
    expect(after.epochs).toBeGreaterThan(Number(before.epochs));

    const all = await done('export', run, '--out', 'all');
    expect(all.code, all.stderr()).toBe(0);
    const names = [
      'model_best.pth.tar',
      'checkpoint.pth.tar',
      'metrics.csv',
      'metrics.json',
      'commands.sh',
      'report.html',
    ];
    expect(readdirSync(join(bench.folder, 'all')).sort()).toEqual([...names].sort());
    const { files } = lastLine(all) as { files: Record<string, string> };
    expect(Object.keys(files).sort()).toEqual([...names].sort());
    expect(all.stdout().trimEnd().split('\n').slice(0, -1).sort()).toEqual(Object.values(files).sort());
    const [exported, takenHome] = ['all', 'resumed'].map((place) =>
      readFileSync(join(bench.folder, place, 'checkpoint.pth.tar')),
    );
    expect(takenHome !== undefined && exported?.equals(takenHome)).toBe(true);
    const csv = readFileSync(files['metrics.csv'] ?? '', 'utf8')
      .trimEnd()
      .split('\n');
    expect(csv.length).toBeGreaterThan(10);
    expect(statSync(files['report.html'] ?? '').size).toBeGreaterThan(1000);

    // A single match; nothing where there is none.
    const one = await done('export', run, 'metrics.csv', '--out', 'one');
    expect([one.code, readdirSync(join(bench.folder, 'one'))]).toEqual([0, ['metrics.csv']]);
    for (const args of [
      ['export', run, 'metrics.txt', '--out', 'none'],
      ['export', 'nobody', '--out', 'none'],
      ['export', run],
    ]) {
      const refused = await done(...args);
      expect(refused.code, args.join(' ')).toBe(2);
      expect(refused.stderr()).toMatch(/^ringlab: /);
    }
    expect(existsSync(join(bench.folder, 'none'))).toBe(false);
  }, 900_000);

  it('stop --force removes a waiting run, and reports a run that has ended or is unknown', async () => {
    const first = await begun(long);
    const queued = bench.ringlab('run', await bench.labFile('queue', ['a'], { epochs: 1 }), '--queue');
    await expect.poll(runs, patience).toHaveLength(2);
    const waiting = (await runs()).find(({ state }) => state === 'queued')?.id ?? '';
    expect((await done('stop', waiting, '--force')).code).toBe(0);
    expect(await queued.ended).toBe(1);
    expect(lastLine(queued)).toMatchObject({ run: waiting, state: 'stopped' });
    expect(await bench.liveRanks()).toEqual([first.run]);
    const again = await done('stop', waiting, '--force');
    expect([again.code, again.stderr()]).toEqual([0, expect.stringContaining('has ended already')]);
    const unknown = await done('stop', 'nobody', '--force');
    expect([unknown.code, unknown.stderr()]).toEqual([
      2,
      expect.stringContaining('there is no run “nobody”'),
    ]);
    expect(unknown.stderr()).toContain('ringlab runs');
    expect((await done('stop', first.run, '--force')).code).toBe(0);
    expect(await first.command.ended).toBe(1);
    expect(await bench.liveRanks()).toEqual([]);
  }, 900_000);

  it('rejoin --replace gives a lost node’s place to a node of another lab file', async () => {
    const change = { epochs: 2000, onLostRank: 'continue' } as const;
    const command = bench.ringlab('run', await bench.labFile('spare', ['a', 'b', 'c'], change));
    await bench.trains(3);
    const [run = ''] = await bench.liveRanks();
    await untilSaid(command, /epoch 1: validation/);
    for (const pid of await bench.ranksOf('c')) process.kill(pid, 'SIGKILL');
    await bench.trains(2);
    const drawn = await bench.labFile('drawn', ['a', 'b', 'd'], change);
    const unknown = await done('rejoin', run, drawn, '--replace', 'Node c=Node x');
    expect([unknown.code, unknown.stderr()]).toEqual([2, expect.stringContaining('“Node x”')]);
    const wrong = await done('rejoin', run, drawn, '--replace', 'Node c');
    expect([wrong.code, wrong.stderr()]).toEqual([2, expect.stringContaining('LOST=NEW')]);
    const rejoined = await done('rejoin', run, drawn, '--replace', 'Node c=d');
    expect(rejoined.code, rejoined.stderr()).toBe(0);
    expect(lastLine(rejoined)).toMatchObject({ run, state: 'running' });
    expect(lastLine(await done('runs', run, '--json'))).toMatchObject({ attempt: 2 });
    await bench.trains(3);
    expect(await bench.ranksOf('d')).toHaveLength(1);
    const stopped = await done('stop', run);
    expect(stopped.code, stopped.stderr()).toBe(0);
    expect(await command.ended).toBe(1);
  }, 900_000);

  it.each([
    ['run', []],
    ['queue', ['--queue']],
  ] as const)(
    'app killed after recording a run (run.%s), before its answer: one run, which the command follows',
    async (request, more) => {
      const window = bench.ringlab('serve', '--no-open');
      await expect.poll(window.stdout, patience).toContain('http://127.0.0.1');
      const severed = await severAtAnswer(bench.data, request === 'run' ? 'run.start' : 'run.queue');
      try {
        const lab = await bench.labFile('cut', ['a'], { epochs: 1 });
        const command = bench.ringlab('run', lab, ...more, '--out', 'home');
        await severed.cut;
        expect(await command.ended, command.stderr()).toBe(0);
        expect(command.stderr()).toContain('going on without it');
        expect(await runs()).toMatchObject([{ id: lastLine(command).run, state: 'finished' }]);
        expect(await bench.liveRanks()).toEqual([]);
      } finally {
        severed.close();
      }
    },
    900_000,
  );

  it('app killed after resuming a run, before its answer: the command follows it', async () => {
    const { command, run } = await begun(long);
    await untilSaid(command, /epoch 1: validation/);
    expect((await done('stop', run, '--force')).code).toBe(0);
    await command.ended;
    const window = bench.ringlab('serve', '--no-open');
    await expect.poll(window.stdout, patience).toContain('http://127.0.0.1');
    const severed = await severAtAnswer(bench.data, 'run.resume');
    try {
      const resumed = bench.ringlab('resume', run);
      await severed.cut;
      await untilSaid(resumed, /epoch \d+: validation/);
      expect(await bench.liveRanks()).toEqual([run]);
      resumed.child.kill('SIGINT');
      await resumed.ended;
      expect(lastLine(resumed)).toMatchObject({ run, state: 'stopped' });
    } finally {
      severed.close();
    }
  }, 900_000);

  it('beside a window that hangs: reports the folder’s owner and waits, and is answered once the window continues', async () => {
    const served = bench.ringlab('serve', '--no-open');
    await expect.poll(served.stdout, patience).toContain('http://127.0.0.1');
    served.child.kill('SIGSTOP');
    const list = bench.ringlab('labs', '--json');
    await untilSaid(list, /in use by process \d+|Waiting until it answers/);
    served.child.kill('SIGCONT');
    expect(await list.ended, list.stderr()).toBe(0);
    expect(lastLine(list)).toEqual([]);
    served.child.kill('SIGTERM');
    expect(await served.ended).toBe(0);
  }, 120_000);
});
