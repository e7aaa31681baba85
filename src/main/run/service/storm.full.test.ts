/**
 * Full test: a storm of faults on a run that restarts by itself each time. It ends as an undisturbed run does: the same loss of every
 * step, bit for bit.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { workLost } from '../../../shared/run/recovery.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { linesLost } from '../testing/storm-faults.ts';
import { canStorm, createStorm, stepLines, whyStorm, type Storm } from '../testing/storm.ts';
import { expectAllStored, expectEachStep, expectRightTimes, linesOf } from '../testing/stored-lines.ts';

const train = 192;
const batchSize = 32;
const stepsAnEpoch = train / batchSize;

/** In words, of two files of lines. */
function firstDifference(kept: string, onNode: string): string | undefined {
  if (kept === onNode) return undefined;
  const [here, there] = [kept.split('\n'), onNode.split('\n')];
  const at = here.findIndex((line, index) => line !== there[index]);
  return `line ${at}: “${here[at] ?? ''}” is kept, “${there[at] ?? ''}” on the node; ${here.length} and ${there.length} lines`;
}

let storm: Storm;
afterEach(async () => {
  await storm.close();
});

/** Running with a new checkpoint since its last failure, or ended: five failures in a row without one end a run, by its policy. */
async function untilItGetsOn(runId: string): Promise<RunRecord> {
  for (;;) {
    const run = await storm.bench.app.runs.get(runId);
    if (isEnded(run.state)) return run;
    const last = run.recovery?.restarts.at(-1);
    const query = { runId, kinds: ['checkpoint'], source: 'rank-0', limit: 4 } as const;
    const saved = (await storm.bench.app.store.lines(query)).map(({ line }) => Number(line.step));
    const isOn = last === undefined || (last.resumed !== undefined && Math.max(0, ...saved) > last.from);
    if (run.state === 'running' && isOn) return run;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

describe.skipIf(!canStorm)(`a storm of faults (${whyStorm})`, () => {
  it('loses nothing', { timeout: 0 }, async () => {
    storm = await createStorm({ train, batchSize, validation: 400, exact: true });
    const { bench } = storm;
    const reference = await storm.undisturbed();
    const { epochs } = reference;
    bench.lab.experiment = {
      ...bench.lab.experiment,
      ...({ onLostRank: 'restart', restartsPerHour: 1000, checkpointEvery: 1 } as const),
    };
    const { run, happened } = await storm.hit(untilItGetsOn);
    const lost = workLost(run.recovery);
    storm.say(
      `${run.recovery?.restarts.length ?? 0} restarts, work lost ${lost.steps} steps, ${lost.seconds.toFixed(1)} s`,
    );
    for (const { error, step, from, resumed } of run.recovery?.restarts ?? []) {
      if (resumed?.lostSteps === 0) continue;
      const why = `${error.code} ${error.where ?? ''} ${error.params.said ?? ''}`;
      storm.say(`lost ${resumed?.lostSteps ?? 'unknown'}: ended at ${step}, saved ${from}: ${why}`);
    }
    expect(run).toMatchObject({ state: 'finished', epochsCompleted: epochs, step: epochs * stepsAnEpoch });
    expect(happened.length).toBeGreaterThan(0);

    // Every line of every node once and in order, byte for byte, and those that a node lost with its power.
    await expectAllStored(bench.app.store, run, true);
    await expectRightTimes(bench.app.store, run);
    for (const { rank, directory } of run.ranks) {
      const kept = await readFile(join(bench.app.store.runFolder(run.id), `rank-${rank}.jsonl`), 'utf8');
      const onNode = await readFile(join(directory, 'metrics.jsonl'), 'utf8');
      // A node that lost lines just before the run's end does not get them again.
      if (!linesLost(happened, rank)) expect(firstDifference(kept, onNode), `rank ${rank}`).toBeUndefined();
      const steps = await stepLines(bench, run.id, rank);
      const numbers = steps.map(({ step }) => Number(step));
      const kills = linesLost(happened, rank) ? Infinity : (run.recovery?.restarts.length ?? 0);
      const missing = expectEachStep(numbers, epochs * stepsAnEpoch, kills);
      expect(steps.reduce((sum, { images }) => sum + Number(images), 0)).toBe(
        (epochs * train - missing * batchSize) / run.ranks.length,
      );
      const undisturbed = new Map(
        (await stepLines(bench, reference.id, rank)).map(({ step, loss }) => [step, loss]),
      );
      expect(steps.map(({ loss }) => loss)).toEqual(steps.map(({ step }) => undisturbed.get(step)));
    }
    // The weights are the same. Where rank 0 was lost in the last steps, statistics of batch norm are those of the next one's images: a few of the 400 are judged differently.
    for (const key of ['top1', 'bestTop1'] as const)
      expect(Math.abs((run[key] ?? 0) - (reference[key] ?? 0))).toBeLessThanOrEqual(2);
    const epochLines = await linesOf(bench.app.store, run.id, 'rank-0');
    for (const line of epochLines.filter(({ kind }) => kind === 'epoch'))
      expect(line.images_seen).toBe(train);
    // One that failed again before its first step did not go on. The last did, or no step was left for it.
    const last = run.recovery?.restarts.at(-1);
    expect(last === undefined || last.resumed !== undefined || last.from === epochs * stepsAnEpoch).toBe(
      true,
    );
    await storm.expectNothingLeft(run);
  });
});
