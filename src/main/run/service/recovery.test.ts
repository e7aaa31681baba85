/** A killed rank, and an app that ends while ranks rejoin, with a fake trainer; the slow test has other causes, `recovery.full.test.ts` the real trainer. */
import { readFile, rm, writeFile } from 'node:fs/promises';
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

it('a rank that is left has the time to save, and the next attempt continues from that', async () => {
  bench = await createBench({ steps: 15, settings: { failGrace: 300 } });
  bench.lab.experiment = { ...bench.lab.experiment, onLostRank: 'restart' };
  const { runId } = await bench.runs.start(bench.lab);
  await bench.until(runId, (run) => run.step >= 4);
  await bench.hold();
  const pid = await readFile(join(bench.rankFolder(runId, 1), 'pid'), 'utf8');
  endProcess((JSON.parse(pid) as { pid: number }).pid);
  await bench.until(runId, (run) => run.ranks[1]?.state === 'failed');
  // Longer than where what it saves does not count.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await bench.goOn();
  const run = await bench.until(runId, 'finished');
  expect(run.attempt).toBe(2);
  const ends = await bench.store.lines({ runId, kinds: ['end'], source: 'rank-0', limit: 9 });
  expect(ends.map(({ line }) => line.exit_code)).toEqual([7, 0]);
});

it('a node that only this computer cannot reach is not given up while the others’ steps show that it trains', async () => {
  bench = await createBench({ steps: 30, settings: { lostAfter: 300 } });
  const { runId } = await bench.runs.start(bench.lab);
  await bench.until(runId, (run) => run.step >= 2);
  bench.reach.cut('node-2');
  const { step } = await bench.until(runId, 'waiting');
  await bench.until(runId, (run) => run.step >= step + 25);
  expect((await bench.runs.get(runId)).state).toBe('waiting');
  bench.reach.mend('node-2');
  expect((await bench.until(runId, 'finished')).error).toBeUndefined();
});

it('a node is given up where nothing shows that it trains', async () => {
  bench = await createBench({ steps: 100, settings: { lostAfter: 300, stepsWithin: 300 } });
  const { runId } = await bench.runs.start(bench.lab);
  await bench.until(runId, (run) => run.step >= 2);
  await bench.hold();
  bench.reach.cut('node-2');
  await bench.until(runId, (run) => run.ranks[2]?.state === 'lost');
  await bench.goOn();
  const run = await bench.until(runId, 'lost');
  expect(run.ranks.map(({ exit }) => exit?.code)).toEqual([7, 7, undefined]);
});

it('a run that was given up while it trained on saves before the checkpoint to continue from is chosen', async () => {
  bench = await createBench({ steps: 15, settings: { lostAfter: 300, stepsWithin: 300, stopGrace: 60_000 } });
  const { data, reach, rankFolder } = bench;
  // It is in its first epoch.
  await writeFile(join(data, 'unsaved'), '');
  const { runId } = await bench.runs.start(bench.lab);
  await bench.until(runId, (run) => run.step >= 2);
  await bench.hold();
  for (const node of ['node-0', 'node-1', 'node-2']) reach.cut(node);
  const { attempt } = await bench.until(runId, 'lost');
  await rm(join(data, 'unsaved'));
  for (const node of ['node-0', 'node-1', 'node-2']) reach.mend(node);
  await bench.runs.resume(runId);
  // Longer than a start waits for a process that is in its way.
  await new Promise((resolve) => setTimeout(resolve, 6500));
  await bench.goOn();
  const run = await bench.until(runId, 'finished');
  expect(run.attempt).toBe(attempt + 1);
  expect(run.ranks[0]?.argv).toContain('--resume');
  const lines = await readFile(join(rankFolder(runId, 0), 'metrics.jsonl'), 'utf8');
  const [, step] = /"reason":"stopped","exit_code":7,"epochs_completed":0,"step":(\d+)/.exec(lines) ?? [];
  expect(lines).toContain(`"start_step":${step}}`);
});
