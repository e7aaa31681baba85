/** A killed rank, and an app that ends while ranks rejoin, with a fake trainer; the slow test has other causes, `recovery.full.test.ts` the real trainer. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { endProcess } from '../../ssh/testing/processes.ts';
import { createBench, type Bench } from '../testing/bench.ts';

let bench: Bench;
afterEach(async () => {
  await bench.close();
});

/** The states that the run has had, each once in a row. */
const statesOf = (runId: string): string[] =>
  bench.store.saved
    .filter(({ id }) => id === runId)
    .map(({ state }) => state)
    .filter((state, index, all) => state !== all[index - 1]);

it('a run that restarts goes on after a rank was killed: the same run, one curve, with what was lost', async () => {
  bench = await createBench({ steps: 15 });
  bench.lab.experiment = { ...bench.lab.experiment, onLostRank: 'restart' };
  const { runId } = await bench.runs.start(bench.lab);
  await bench.until(runId, (run) => run.step >= 4);
  const pid = await readFile(join(bench.rankFolder(runId, 1), 'pid'), 'utf8');
  endProcess((JSON.parse(pid) as { pid: number }).pid);
  const run = await bench.until(runId, 'finished');
  expect(run).toMatchObject({ attempt: 2, epochsCompleted: 2, step: 30 });
  expect(run.error).toBeUndefined();
  const [restart] = run.recovery?.restarts ?? [];
  expect(restart?.error).toMatchObject({
    code: 'rank_killed',
    params: { rank: 1, node: 'Node 1', signal: 'SIGKILL' },
  });
  // The stand-in saves at every step.
  expect(restart?.resumed).toMatchObject({ step: restart?.step, lostSteps: 0, lostSeconds: 0 });
  expect(run.recovery?.ended).toBeUndefined();
  const onNode = await readFile(join(bench.rankFolder(runId, 0), 'metrics.jsonl'), 'utf8');
  expect(bench.store.raw(runId, 'rank-0')).toBe(onNode);
  const steps = await bench.store.lines({ runId, kinds: ['step'], source: 'rank-0', limit: 999 });
  expect(steps.map(({ line }) => line.step)).toEqual(Array.from({ length: 30 }, (_, step) => step));
  expect(statesOf(runId)).toEqual([
    'preparing',
    'starting',
    'running',
    'recovering',
    'preparing',
    'starting',
    'running',
    'finished',
  ]);
});

it('a run whose lost ranks were about to rejoin when the app ended goes on with all of them', async () => {
  bench = await createBench({ steps: 15 });
  const { runId } = await bench.runs.start(bench.lab);
  await bench.until(runId, (run) => run.step >= 1);
  await bench.runs.stop(runId);
  const stopped = await bench.until(runId, 'stopped');
  await bench.store.saveRun({
    ...stopped,
    ...{ state: 'preparing', attempt: 2, recovery: { restarts: [], rejoins: true } },
  });
  await (await bench.restart()).adopt();
  const run = await bench.until(runId, 'finished');
  expect(run.error).toBeUndefined();
  expect(run.recovery?.rejoins).toBeUndefined();
  expect(run.ranks.map(({ state }) => state)).toEqual(['done', 'done', 'done']);
});

it('a run whose clock was set back since it was resumed notes which lines are of earlier attempts', async () => {
  bench = await createBench({ steps: 15 });
  bench.lab.experiment = { ...bench.lab.experiment, onLostRank: 'restart' };
  const { runId } = await bench.runs.start(bench.lab);
  await bench.until(runId, (run) => run.step >= 1);
  await bench.runs.stop(runId);
  const stopped = await bench.until(runId, 'stopped');
  const lastSeqs = await Promise.all([0, 1, 2].map((rank) => bench.store.lastSeq(runId, `rank-${rank}`)));
  const resumedAt = Date.now() / 1000 + 3600;
  const recovery = { restarts: [], rejoins: true as const, resumedAt, resumedAttempt: 2 };
  await bench.store.saveRun({ ...stopped, ...{ state: 'preparing', attempt: 2, recovery } });
  await (await bench.restart()).adopt();
  const run = await bench.until(runId, 'finished');
  expect(run.recovery).toMatchObject({ resumedAt, lastSeqs });
});
