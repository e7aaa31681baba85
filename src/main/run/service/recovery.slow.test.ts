/** Automatic restarts with a fake trainer: every cause, and every end; `recovery.test.ts` has the first. */
import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endProcess } from '../../ssh/testing/processes.ts';
import { createBench, type Bench, type BenchOptions } from '../testing/bench.ts';

let bench: Bench;
const open = async (options: BenchOptions = {}): Promise<Bench> => {
  bench = await createBench(options);
  bench.lab.experiment = { ...bench.lab.experiment, onLostRank: 'restart' };
  return bench;
};
afterEach(async () => {
  await bench.close();
});

const pidOf = async (runId: string, rank: number): Promise<number> =>
  (JSON.parse(await readFile(join(bench.rankFolder(runId, rank), 'pid'), 'utf8')) as { pid: number }).pid;
const launcherOf = (pid: number): number =>
  Number(
    execFileSync('sh', ['-c', `sed 's/.*) //' /proc/${pid}/stat | cut -d' ' -f2`], { encoding: 'utf8' }),
  );
const kill = async (runId: string, rank: number, withLauncher = false): Promise<void> => {
  const pid = await pidOf(runId, rank);
  if (withLauncher) endProcess(launcherOf(pid));
  endProcess(pid);
};
describe('a run that restarts by itself', () => {
  it('goes on after a node restarted, and after a rank vanished with its launcher', async () => {
    await open({ steps: 50, settings: { restart: { firstMs: 10, maxMs: 60_000 } } });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 3);
    for (const rank of [0, 1, 2]) await kill(runId, rank, true);
    await writeFile(join(bench.folder, 'boot-id'), 'boot-2\n');
    // Its first step here, which the new attempt has reported.
    const going = await bench.until(runId, (run) => run.recovery?.restarts[0]?.resumed !== undefined);
    await bench.until(runId, (run) => run.step > going.step);
    await kill(runId, 2, true);
    const run = await bench.until(runId, 'finished');
    expect(run).toMatchObject({ attempt: 3, step: 100 });
    expect(run.recovery?.restarts.map(({ error }) => error.code)).toEqual(['run_interrupted', 'rank_lost']);
  });

  it('waits for a node that is unreachable, and says which', async () => {
    await open({ steps: 30, settings: { restart: { firstMs: 10, maxMs: 60_000 } } });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 3);
    // Away from the moment in which the run is recovering.
    const off = bench.events.subscribe((event) => {
      if (event.name === 'run.changed' && event.data.run.state === 'recovering') bench.reach.cut('node-2');
    });
    await kill(runId, 1);
    const waiting = await bench.until(runId, (run) => run.recovery?.waiting?.for === 'nodes');
    expect(waiting).toMatchObject({ state: 'recovering', recovery: { waiting: { names: ['Node 2'] } } });
    off();
    bench.reach.mend('node-2');
    const run = await bench.until(runId, 'finished');
    // Waiting starts nothing: one attempt more.
    expect(run).toMatchObject({ attempt: 2, step: 60 });
  });

  it('a failure that repeats ends it, with the reason and the cause', async () => {
    await open({ epochs: 100, settings: { restart: { firstMs: 10, maxMs: 60_000 } } });
    await writeFile(join(bench.data, 'fail-1'), 'RuntimeError: always here\n');
    await writeFile(join(bench.data, 'unsaved'), '');
    const { runId } = await bench.runs.start(bench.lab);
    const run = await bench.until(runId, 'failed');
    expect(run).toMatchObject({ attempt: 2, recovery: { ended: 'repeated', restarts: [{ attempt: 1 }] } });
    expect(run.error).toMatchObject({
      code: 'rank_failed',
      params: { rank: 1, said: 'RuntimeError: always here' },
    });
    // Resumed by the user, who has repaired it: the limits count from there.
    await rm(join(bench.data, 'fail-1'));
    await bench.runs.resume(runId);
    await bench.until(runId, (now) => now.attempt === 3 && now.state === 'running' && now.step > 4);
    await kill(runId, 0);
    await bench.until(runId, (now) => now.attempt === 4 && now.state === 'running');
  });

  it('a loss that is not a number ends it at once', async () => {
    await open({ epochs: 100 });
    await writeFile(join(bench.data, 'fail-5'), '');
    const { runId } = await bench.runs.start(bench.lab);
    const run = await bench.until(runId, 'failed');
    expect(run).toMatchObject({ attempt: 1, error: { code: 'diverged' }, recovery: { ended: 'cause' } });
  });

  it('a user’s stop is never answered with a restart, also during the back-off', async () => {
    await open({ epochs: 100, settings: { restart: { firstMs: 600_000, maxMs: 600_000 } } });
    await writeFile(join(bench.data, 'unsaved'), '');
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    await kill(runId, 0);
    await bench.until(runId, (run) => run.attempt === 2 && run.state === 'running' && run.step >= 1);
    await kill(runId, 0);
    const waiting = await bench.until(runId, (run) => run.recovery?.waiting !== undefined);
    expect(waiting).toMatchObject({ state: 'recovering', recovery: { waiting: { for: 'backOff' } } });
    await expect(bench.runs.start(bench.lab)).rejects.toMatchObject({ code: 'run_wrong_state' });
    await bench.runs.stop(runId);
    const stopped = await bench.until(runId, 'stopped');
    expect(stopped.attempt).toBe(2);
    await bench.runs.resume(runId);
    await bench.until(runId, (run) => run.state === 'running' && run.step >= 1);
    await bench.runs.stop(runId);
    await bench.until(runId, 'stopped');
  });

  it('fault 25: the app, started again during a recovery, continues it', async () => {
    await open({ steps: 15, settings: { restart: { firstMs: 6000, maxMs: 6000 } } });
    await writeFile(join(bench.data, 'unsaved'), '');
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    await kill(runId, 0);
    await bench.until(runId, (run) => run.attempt === 2 && run.state === 'running' && run.step >= 1);
    await kill(runId, 0);
    await bench.until(runId, (run) => run.recovery?.waiting?.for === 'backOff');
    const runs = await bench.restart();
    expect((await runs.get(runId)).state).toBe('recovering');
    await runs.adopt();
    const run = await bench.until(runId, 'finished');
    expect(run).toMatchObject({ attempt: 3, step: 30 });
  });

  it('fault 25: a rank that is killed while the app is away is found, and the run restarts', async () => {
    await open({ steps: 40 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 2);
    const runs = await bench.restart();
    await kill(runId, 1);
    await runs.adopt();
    const run = await bench.until(runId, 'finished');
    expect(run).toMatchObject({ attempt: 2, step: 80 });
  });

  it('is not what an experiment does that stops', async () => {
    await open({ epochs: 100 });
    bench.lab.experiment = { ...bench.lab.experiment, onLostRank: 'stop' };
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    await kill(runId, 1);
    const run = await bench.until(runId, 'failed');
    expect(run).toMatchObject({ attempt: 1 });
    expect(run.recovery).toBeUndefined();
  });
});
