/**
 * Tests the run service on the real store, local nodes over SSH, provisioner and trainer. `npm test` builds the
 * trainer first.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createRealBench, trainerIsBuilt, type RealBench } from '../testing/real-services.ts';
import { counting, expectAllStored, linesOf, stepsOf } from '../testing/stored-lines.ts';

let bench: RealBench;
afterEach(async () => {
  await bench.close();
});

describe.skipIf(!trainerIsBuilt)('with the real trainer on three local nodes', () => {
  it('a run finishes and is exported, and its checkpoint is downloaded', { timeout: 300_000 }, async () => {
    bench = await createRealBench();
    const { runs } = bench.app;
    const { runId } = await runs.start(bench.lab);
    const run = await bench.until(runId, 'finished');
    expect(run).toMatchObject({ epochsCompleted: 2, epochs: 2, step: 6 });
    expect(run.top1).toBeGreaterThanOrEqual(0);
    await expectAllStored(bench.app.store, run);
    for (const rank of run.ranks)
      expect(stepsOf(await linesOf(bench.app.store, runId, `rank-${rank.rank}`))).toEqual(counting(6));
    expect(
      (await linesOf(bench.app.store, runId, 'monitor-a')).filter((line) => line.kind === 'sample').length,
    ).toBeGreaterThan(0);

    const best = await runs.artifact(runId, 'model_best.pth.tar');
    const there = await readFile(join(run.ranks[0]!.directory, 'model_best.pth.tar'));
    expect(there.equals(await readFile(best.path))).toBe(true);
    const csv = (await readFile((await runs.artifact(runId, 'metrics.csv')).path, 'utf8'))
      .trimEnd()
      .split('\r\n');
    expect(csv).toHaveLength(1 + (await bench.app.store.countPoints(runId)));
    const json: unknown = JSON.parse(
      await readFile((await runs.artifact(runId, 'metrics.json')).path, 'utf8'),
    );
    expect(json).toHaveLength(csv.length - 1);
    const log = await runs.log({ runId, rank: 0, offset: -400, limit: 400 });
    expect(log.text).toContain('Acc@1');
    expect(log.nextOffset).toBe(log.size);
    expect(bench.app.problems).toEqual([]);

    await runs.delete(runId, { nodes: true });
    await expect(readFile(join(run.ranks[0]!.directory, 'metrics.jsonl'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
    expect(await runs.list()).toEqual([]);
  });
});
