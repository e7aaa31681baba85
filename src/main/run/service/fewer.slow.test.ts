/** Slow test: the real trainer on local nodes loses rank 0, and the run goes on with the others and finishes. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endProcess } from '../../ssh/testing/processes.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from '../testing/real-services.ts';
import { expectAllStored, linesOf } from '../testing/stored-lines.ts';

let bench: RealBench;
afterEach(async () => {
  await bench.close();
});

const train = 84;

describe.skipIf(!trainerIsBuilt)('a run that goes on without lost ranks', { timeout: 400_000 }, () => {
  it('by default, finishes with two of three, of which one has rank 0’s part', async () => {
    bench = await createRealBench({ epochs: 6, train });
    expect(bench.lab.experiment.onLostRank).toBeUndefined();
    const { runId } = await bench.app.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 3);
    endProcess(await bench.process(runId, 0));
    const going = await bench.until(runId, (run) => run.memberships !== undefined);
    expect(going).toMatchObject({ state: 'running', attempt: 1, onLostRank: 'continue' });
    expect(going.error).toBeUndefined();
    const run = await bench.until(runId, 'finished');
    expect(run).toMatchObject({ attempt: 1, epochsCompleted: 6 });
    expect(run.error).toBeUndefined();
    expect(run.memberships).toMatchObject([{ generation: 1, ranks: [1, 2], lost: [0] }]);
    expect(run.ranks.map(({ state }) => state)).toEqual(['failed', 'done', 'done']);
    await expectAllStored(bench.app.store, run);

    // What rank 0 writes in a whole run, rank 1 has written since: the progress is from its lines.
    const lines = await linesOf(bench.app.store, runId, 'rank-1');
    const epochs = lines.filter((line) => line.kind === 'epoch' && line.val_top1 !== undefined);
    expect(epochs.at(-1)).toMatchObject({ epoch: 5, images_seen: train });
    expect(new Set(epochs.map((line) => line.images_seen))).toEqual(new Set([train]));
    expect(run.step).toBe(Number(lines.findLast((line) => line.kind === 'step')?.step) + 1);
    expect(run.top1).toBe(epochs.at(-1)?.val_top1);
    // Its checkpoint is the run's, and was fetched.
    const { path } = await bench.app.runs.artifact(runId, 'checkpoint.pth.tar');
    const onNode = join(run.ranks[1]?.directory ?? '', 'checkpoint.pth.tar');
    expect((await stat(path)).size).toBe((await stat(onNode)).size);
  });

  it('starts all again from where they were when too few are left, and when one is lost before all have begun', async () => {
    bench = await createRealBench({ epochs: 10, train });
    bench.lab.experiment = { ...bench.lab.experiment, onLostRank: 'continue' };
    const { runId } = await bench.app.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 3);
    for (const rank of [0, 1]) endProcess(await bench.process(runId, rank));
    const again = await bench.until(runId, (run) => run.attempt === 2 && run.state === 'running');
    expect(again.memberships).toBeUndefined();
    endProcess(await bench.process(runId, 1));
    const run = await bench.until(runId, 'finished');
    expect(run).toMatchObject({ epochsCompleted: 10, attempt: 3, error: undefined });
    // Rank 2, which was left of three, saved its last step; the second attempt may have ended before its first.
    expect(run.recovery?.restarts).toHaveLength(2);
    const resumed = run.recovery?.restarts.at(-1)?.resumed;
    expect(resumed).toMatchObject({ lostSteps: 0, lostSeconds: 0 });
    expect(resumed?.step).toBeGreaterThanOrEqual(3);
    await expectAllStored(bench.app.store, run);
  });
});
