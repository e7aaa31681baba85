/**
 * Full test: a storm of faults on an own script that continues from its own checkpoint. The app starts it again each time, and it ends as
 * an undisturbed one does: the same loss of every step, to the last printed digit. A power cut takes what was printed in the last moments.
 */
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { MetricLine } from '../../../shared/metrics/metrics.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { runsScripts } from '../testing/script-bench.ts';
import { canStorm, createStorm, stepLines, whyStorm, type Storm } from '../testing/storm.ts';
import { linesLost } from '../testing/storm-faults.ts';
import { counting, expectAllStored, expectRightTimes, linesOf } from '../testing/stored-lines.ts';

const stepsAnEpoch = 20;
const path = fileURLToPath(new URL('../testing/scripts', import.meta.url));

/** The last step's line may also have what was printed after it. */
const lossOf = ({ values }: MetricLine): unknown =>
  typeof values === 'object' && values !== null && 'loss' in values ? values.loss : undefined;
const hasLoss = (line: MetricLine): boolean => line.kind === 'scalar' && lossOf(line) !== undefined;

let storm: Storm;
afterEach(async () => {
  await storm.close();
});

/** It trains again past the step at which it last failed, or has ended: five failures in a row without a new step end a run, by its policy. */
async function untilItGetsOn(runId: string): Promise<RunRecord> {
  for (;;) {
    const run = await storm.bench.app.runs.get(runId);
    const last = run.recovery?.restarts.at(-1);
    if (isEnded(run.state)) return run;
    if (run.state === 'running' && run.step > (last?.step ?? -1)) return run;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

describe.skipIf(!canStorm || !runsScripts)(`a storm of faults on an own script (${whyStorm})`, () => {
  it('loses nothing', { timeout: 0 }, async () => {
    storm = await createStorm({
      ...{ train: 60, batchSize: 21, exact: true },
      script: {
        source: { type: 'folder', path },
        file: 'continues.py',
        arguments: `--steps ${stepsAnEpoch} --epochs`,
      },
    });
    const { bench } = storm;
    const reference = await storm.undisturbed();
    const steps = reference.lab.experiment.epochs * stepsAnEpoch;
    bench.lab.experiment = {
      ...bench.lab.experiment,
      ...({ onLostRank: 'restart', restartsPerHour: 1000 } as const),
    };
    const { run, happened } = await storm.hit(untilItGetsOn);
    storm.say(`${run.recovery?.restarts.length ?? 0} restarts`);
    expect(run.state).toBe('finished');
    expect(happened.length).toBeGreaterThan(0);
    const someLost = run.ranks.some(({ rank }) => linesLost(happened, rank));
    await expectAllStored(bench.app.store, run, someLost);
    await expectRightTimes(bench.app.store, run);
    for (const { rank } of run.ranks) {
      const losses = async (runId: string): Promise<Map<number, unknown>> =>
        new Map(
          (await stepLines(bench, runId, rank, hasLoss)).map((line) => [Number(line.step), lossOf(line)]),
        );
      const [undisturbed, disturbed] = [await losses(reference.id), await losses(run.id)];
      const lacks = (of: Map<number, unknown>): number[] => counting(steps).filter((step) => !of.has(step));
      expect(lacks(undisturbed), `rank ${rank}, undisturbed`).toEqual([]);
      const lost = lacks(disturbed);
      storm.say(`rank ${rank}: ${lost.length} steps lost`);
      if (!linesLost(happened, rank)) expect(lost, `rank ${rank}`).toEqual([]);
      for (const [step, loss] of disturbed) expect(loss, `step ${step}`).toBe(undisturbed.get(step));
      // Nothing that a script printed is in two lines.
      const places = (await linesOf(bench.app.store, run.id, `rank-${rank}`)).flatMap(({ at }) => at ?? []);
      expect(places.length).toBeGreaterThan(0);
      expect(new Set(places).size, `rank ${rank}`).toBe(places.length);
    }
    await storm.expectNothingLeft(run);
  });
});
