/** Slow test: ranks that were lost are taken in again, with the real trainer on local nodes. */
import { mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { rankSource } from '../../../shared/metrics/metrics.ts';
import { endProcess } from '../../ssh/testing/processes.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from '../testing/real-services.ts';
import { expectAllStored, linesOf } from '../testing/stored-lines.ts';

let bench: RealBench;
afterEach(async () => {
  await bench.close();
});

const train = 84;
/** Epochs of a run that the test stops: on a busy machine others do many of them while a node is prepared. */
const stopped = 2000;

/** Starts a run of three ranks whose others go on without a lost one. */
async function startGoingOn(epochs = stopped): Promise<string> {
  bench = await createRealBench({ epochs, train });
  bench.lab.experiment = { ...bench.lab.experiment, onLostRank: 'continue' };
  return (await bench.app.runs.start(bench.lab)).runId;
}

describe.skipIf(!trainerIsBuilt)('lost ranks that rejoin', { timeout: 400_000 }, () => {
  it('continue with all others from where these stopped, in the same run, though rank 0 has an older checkpoint', async () => {
    const runId = await startGoingOn();
    const whole = await bench.until(runId, (run) => run.epochsCompleted >= 1);
    await expect(bench.app.runs.rejoin(runId)).rejects.toMatchObject({ code: 'run_wrong_state' });
    endProcess(await bench.process(runId, 0));
    const fewer = await bench.until(
      runId,
      (run) => run.memberships !== undefined && run.epochsCompleted > whole.epochsCompleted,
    );
    expect(fewer).toMatchObject({ state: 'running', attempt: 1 });
    await bench.app.runs.rejoin(runId);
    const again = await bench.until(runId, (run) => run.attempt === 2 && run.state === 'running');
    expect(again.memberships).toBeUndefined();
    expect(again.recovery?.rejoins).toBeUndefined();
    // Who was away from when to when stays known.
    const [membership] = fewer.memberships ?? [];
    expect(again.recovery?.absences).toMatchObject([
      { ranks: membership?.lost, from: membership?.t, step: membership?.step },
    ]);
    expect(again.recovery?.absences?.[0]?.to).toBeGreaterThan(membership?.t ?? Infinity);
    expect(again.error).toBeUndefined();
    const { step } = again;
    await bench.until(runId, (run) => run.step > step + 3);
    const starts = await Promise.all(
      [0, 1, 2].map(async (rank) => {
        const lines = await linesOf(bench.app.store, runId, rankSource(rank));
        return lines.filter((line) => line.kind === 'start').map((line) => line.start_step);
      }),
    );
    const [, from] = starts[1] ?? [];
    // No step is done again.
    const ends = (await linesOf(bench.app.store, runId, rankSource(1))).filter((line) => line.kind === 'end');
    expect(from).toBe(ends[0]?.step);
    expect(from).toBeGreaterThanOrEqual(fewer.step);
    expect(starts.map(([, second]) => second)).toEqual([from, from, from]);

    await bench.app.runs.stop(runId);
    const run = await bench.until(runId, 'stopped');
    expect(run.ranks.map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped']);
    await expectAllStored(bench.app.store, run);
    // Each whole epoch has had each image once, whoever was there.
    const seen = [
      ...(await linesOf(bench.app.store, runId, rankSource(0))),
      ...(await linesOf(bench.app.store, runId, rankSource(1))),
    ]
      .filter((line) => line.kind === 'epoch' && line.val_top1 !== undefined)
      .map((line) => line.images_seen);
    expect(new Set(seen)).toEqual(new Set([train]));
  });

  it('are those that do not answer, too, which are not waited for', async () => {
    const runId = await startGoingOn();
    await bench.until(runId, (run) => run.step >= 3);
    const frozen = await bench.process(runId, 1);
    process.kill(frozen, 'SIGSTOP');
    await bench.until(runId, (run) => run.memberships !== undefined);
    await bench.app.runs.rejoin(runId);
    // A rank that may still save would have 200 s.
    const again = await bench.until(runId, (run) => run.attempt === 2 && run.state === 'running', 190);
    expect(again.ranks.map(({ state }) => state)).toEqual(['running', 'running', 'running']);
    expect(() => process.kill(frozen, 0)).toThrow('ESRCH');
    expect(await bench.process(runId, 1)).not.toBe(frozen);
    await bench.app.runs.stop(runId);
    const run = await bench.until(runId, 'stopped');
    await expectAllStored(bench.app.store, run);
  });

  it('start again, with all others, where a node answers but cannot start its rank yet', async () => {
    const runId = await startGoingOn();
    await bench.until(runId, (run) => run.epochsCompleted >= 1);
    endProcess(await bench.process(runId, 2));
    const fewer = await bench.until(runId, (run) => run.memberships !== undefined);
    // As with a disk that fails: its files cannot be replaced.
    const pid = join(fewer.ranks[2]?.directory ?? '', 'pid');
    await rm(pid, { force: true });
    await mkdir(pid);
    await bench.app.runs.rejoin(runId);
    const waiting = await bench.until(runId, (run) => (run.recovery?.restarts.length ?? 0) > 0);
    expect(waiting.recovery?.restarts[0]?.error).toMatchObject({ code: 'command_failed' });
    await rmdir(pid);
    const again = await bench.until(runId, ({ attempt, state }) => attempt > 2 && state === 'running');
    expect(again.ranks.map(({ state }) => state)).toEqual(['running', 'running', 'running']);
    expect(again.step).toBeGreaterThanOrEqual(fewer.step);
    await bench.app.runs.stop(runId);
    await expectAllStored(bench.app.store, await bench.until(runId, 'stopped'));
  });

  it('leave the others alone while their node answers, but its disk takes nothing', async () => {
    const runId = await startGoingOn();
    await bench.until(runId, (run) => run.epochsCompleted >= 1);
    endProcess(await bench.process(runId, 2));
    const fewer = await bench.until(runId, (run) => run.memberships !== undefined);
    const folder = fewer.ranks[2]?.directory ?? '';
    await rename(folder, `${folder}.away`);
    await writeFile(folder, '');
    await expect(bench.app.runs.rejoin(runId)).rejects.toMatchObject({ code: 'command_failed' });
    const { step } = await bench.app.runs.get(runId);
    const going = await bench.until(runId, (run) => run.step > step + 3);
    expect(going).toMatchObject({ state: 'running', attempt: 1 });
    expect(going.recovery?.rejoins).toBeUndefined();
    await rm(folder);
    await rename(`${folder}.away`, folder);
    await bench.app.runs.rejoin(runId);
    await bench.until(runId, (run) => run.attempt === 2 && run.state === 'running');
    await bench.app.runs.stop(runId);
    await expectAllStored(bench.app.store, await bench.until(runId, 'stopped'));
  });

  it('are those of a node that the user took out, too', async () => {
    const runId = await startGoingOn();
    const begun = await bench.until(runId, (run) => run.step >= 3);
    const nodeId = begun.ranks[2]?.nodeId ?? '';
    await bench.app.runs.takeOut(runId, nodeId);
    const fewer = await bench.until(runId, (run) => run.ranks[2]?.state === 'stopped');
    expect(fewer).toMatchObject({ state: 'running', attempt: 1 });
    expect(fewer.error).toBeUndefined();
    expect(fewer.ranks[2]?.error).toBeUndefined();
    const going = await bench.until(runId, (run) => run.memberships !== undefined);
    expect(going.memberships).toMatchObject([{ generation: 1, ranks: [0, 1], lost: [2] }]);
    await expect(bench.app.runs.takeOut(runId, nodeId)).rejects.toMatchObject({ code: 'run_wrong_state' });
    const { step } = going;
    await bench.until(runId, (run) => run.step > step + 2);
    await bench.app.runs.rejoin(runId);
    const again = await bench.until(runId, (run) => run.attempt === 2 && run.state === 'running');
    expect(again.ranks.map(({ state }) => state)).toEqual(['running', 'running', 'running']);
    await bench.app.runs.stop(runId);
    const run = await bench.until(runId, 'stopped');
    await expectAllStored(bench.app.store, run);
  });

  it('may leave their place to another node, which gets their part of the run', async () => {
    bench = await createRealBench({ epochs: stopped, train, nodes: 4 });
    const [, , , spare] = bench.lab.nodes;
    if (spare === undefined) throw new Error('no fourth node');
    bench.lab.experiment = { ...bench.lab.experiment, onLostRank: 'continue' };
    const drawn = structuredClone(bench.lab);
    bench.lab.nodes = drawn.nodes.slice(0, 3);
    const { runId } = await bench.app.runs.start(bench.lab);
    const begun = await bench.until(runId, (run) => run.step >= 3);
    const gone = begun.ranks[0]?.nodeId ?? '';
    const replace = [{ nodeId: gone, by: spare.id }];
    await expect(bench.app.runs.rejoin(runId, replace, drawn)).rejects.toMatchObject({
      code: 'run_wrong_state',
    });
    endProcess(await bench.process(runId, 0));
    const fewer = await bench.until(runId, (run) => run.memberships !== undefined);
    await bench.app.runs.rejoin(runId, replace, drawn);
    const again = await bench.until(runId, (run) => run.attempt === 2 && run.state === 'running');
    expect(again.ranks[0]).toMatchObject({ nodeId: spare.id, nodeName: spare.name });
    expect(again.lab.nodes.map(({ id }) => id)).not.toContain(gone);
    expect(again.recovery?.replaces).toBeUndefined();
    const { step } = again;
    expect(step).toBeGreaterThanOrEqual(fewer.step);
    await bench.until(runId, (run) => run.step > step + 3);
    await bench.app.runs.stop(runId);
    const run = await bench.until(runId, 'stopped');
    expect(run.ranks.map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped']);
    // The checkpoint is that of the new first rank; it resumes there.
    await bench.app.runs.resume(runId);
    await bench.until(
      runId,
      ({ attempt, state, step: now }) => attempt === 3 && state === 'running' && now > run.step + 2,
    );
    await bench.app.runs.stop(runId);
    await expectAllStored(bench.app.store, await bench.until(runId, 'stopped'));
    expect(bench.app.problems).toEqual([]);
  });

  it('may stay away: the others finish', async () => {
    const runId = await startGoingOn(6);
    const begun = await bench.until(runId, (run) => run.step >= 3);
    await bench.app.runs.takeOut(runId, begun.ranks[0]?.nodeId ?? '');
    const run = await bench.until(runId, 'finished');
    expect(run).toMatchObject({ epochsCompleted: 6, attempt: 1 });
    expect(run.ranks.map(({ state }) => state)).toEqual(['stopped', 'done', 'done']);
  });

  it('do so by themselves where the others did not hear them, and they are back', async () => {
    const runId = await startGoingOn();
    await bench.until(runId, (run) => run.step >= 3);
    const frozen = await bench.process(runId, 2);
    process.kill(frozen, 'SIGSTOP');
    const fewer = await bench.until(runId, (run) => run.memberships !== undefined);
    expect(fewer.memberships).toMatchObject([{ ranks: [0, 1], lost: [2] }]);
    expect(fewer.recovery?.rejoins).toBeUndefined();
    process.kill(frozen, 'SIGCONT');
    const again = await bench.until(runId, (run) => run.attempt === 2 && run.state === 'running');
    expect(again.recovery?.rejoined).toHaveLength(1);
    const { step } = again;
    await bench.until(runId, (run) => run.step > step + 2);
    await bench.app.runs.stop(runId);
    const run = await bench.until(runId, 'stopped');
    expect(run.ranks.map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped']);
    await expectAllStored(bench.app.store, run);
  });
});
