/**
 * Full test: runs of the real trainer that are killed, stopped, resumed and orphaned. `npm test` has the same with a
 * fake trainer (faults.test.ts).
 */
import { afterEach, describe, expect, it } from 'vitest';
import { endProcess } from '../../ssh/testing/processes.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from '../testing/real-services.ts';
import { counting, expectAllStored, linesOf, stepsOf } from '../testing/stored-lines.ts';

let bench: RealBench;
afterEach(async () => {
  await bench.close();
});

describe.skipIf(!trainerIsBuilt)('with the real trainer on three local nodes', () => {
  it(
    'fault 26: a killed rank fails the run, with the cause and the last lines',
    { timeout: 300_000 },
    async () => {
      bench = await createRealBench({ epochs: 1000 });
      const { runId } = await bench.app.runs.start(bench.lab);
      await bench.until(runId, (run) => run.step >= 2);
      endProcess(await bench.process(runId, 1));
      await expect(bench.until(runId, 'finished')).rejects.toThrow('the run is failed');
      const run = await bench.app.runs.get(runId);
      expect(run.error).toMatchObject({
        code: 'rank_killed',
        params: { rank: 1, node: 'Node b', signal: 'SIGKILL' },
      });
      expect(run.ranks[1]?.lastWords?.length).toBeGreaterThan(0);
      await expectAllStored(bench.app.store, run);
    },
  );

  it(
    'fault 25: stopped, resumed, the app killed during the run: one curve without a gap',
    { timeout: 300_000 },
    async () => {
      bench = await createRealBench({ epochs: 4 });
      const { runId } = await bench.app.runs.start(bench.lab);
      await bench.until(runId, (run) => run.step >= 2);
      await bench.app.runs.stop(runId);
      const stopped = await bench.until(runId, 'stopped');
      expect(stopped.ranks.map((rank) => rank.exit?.code)).toEqual([7, 7, 7]);
      await bench.app.runs.resume(runId);
      await bench.until(runId, (run) => run.step > stopped.step);
      await bench.restart();
      const run = await bench.until(runId, 'finished');
      expect(run).toMatchObject({ attempt: 2, epochsCompleted: 4, step: 12 });
      await expectAllStored(bench.app.store, run);
      for (const rank of run.ranks)
        expect(stepsOf(await linesOf(bench.app.store, runId, `rank-${rank.rank}`))).toEqual(counting(12));
    },
  );
});
