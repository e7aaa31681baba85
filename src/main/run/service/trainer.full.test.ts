/**
 * Full test: runs of the real trainer that are killed, stopped, resumed and orphaned, and uses of a checkpoint. A slow test has the
 * first with a fake trainer (faults.slow.test.ts), another the second from the window (e2e/full/flows/checkpoints.spec.ts).
 */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endProcess } from '../../ssh/testing/processes.ts';
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

  it(
    'fault 33: all is dated by this computer’s clock, which is a day behind the nodes’',
    { timeout: 300_000 },
    async () => {
      const day = 86_400;
      const now = Date.now.bind(Date);
      using _ = vi.spyOn(Date, 'now').mockImplementation(() => now() - day * 1000);
      bench = await createRealBench({ nodes: 2 });
      const { runId } = await bench.app.runs.start(bench.lab);
      const run = await bench.until(runId, 'finished');
      const within = (t: number): void => {
        expect(t).toBeGreaterThan((run.startedAt ?? Infinity) - 3);
        expect(t).toBeLessThan((run.endedAt ?? 0) + 3);
      };
      for (const source of ['rank-0', 'rank-1', 'monitor-a', 'monitor-b'] as const) {
        const lines = await linesOf(bench.app.store, runId, source);
        expect(lines.length).toBeGreaterThan(0);
        for (const { t } of lines) within(t);
      }
      for (const { exit } of run.ranks) within(exit?.t ?? 0);
      // As the nodes wrote them: nothing is left to correct.
      expect(run.clocks).toEqual({ a: [{ from: 0, ahead: 0 }], b: [{ from: 0, ahead: 0 }] });
    },
  );

  it(
    'fault 26: a killed rank fails the run, with the cause and the last lines',
    { timeout: 300_000 },
    async () => {
      bench = await createRealBench({ epochs: 1000 });
      bench.lab.experiment = { ...bench.lab.experiment, onLostRank: 'stop' };
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

  it(
    'an image is classified on rank 0’s node, and a new run starts from a kept checkpoint',
    { timeout: 300_000 },
    async () => {
      bench = await createRealBench();
      const { runs } = bench.app;
      bench.lab.nodes.splice(2);
      bench.lab.experiment = { ...bench.lab.experiment, keepEvery: 1 };
      const { runId } = await runs.start(bench.lab);
      const run = await bench.until(runId, 'finished');
      const stars = join(run.ranks[0]!.argv.at(-1)!, 'val', 'star');
      const [image = ''] = await readdir(stars);
      const file = 'checkpoint-epoch-1.pth.tar';
      const bytes = await readFile(join(stars, image));
      const found = await runs.classify(runId, file, { name: image, bytes });
      expect(found).toMatchObject({ architecture: 'shufflenet_v2_x0_5', epoch: 1, size: 16, node: 'Node a' });
      const names = found.classes.map(({ name }) => name);
      expect(names).toHaveLength(5);
      expect([
        'box',
        'circle',
        'cross',
        'dots',
        'line',
        'moon',
        'ring',
        'square',
        'star',
        'triangle',
      ]).toEqual(expect.arrayContaining(names));
      const shares = found.classes.map(({ probability }) => probability);
      expect(shares).toEqual(shares.toSorted((a, b) => b - a));
      // The image does not stay on the node.
      expect(await readdir(join(dirname(run.ranks[0]!.directory), 'images'))).toEqual([]);

      const refused = (from: typeof file | 'checkpoint-epoch-9.pth.tar', name: string, content: Uint8Array) =>
        runs.classify(runId, from, { name, bytes: content }).catch((error: unknown) => error);
      expect(await refused(file, 'notes.txt', Buffer.from('no image'))).toMatchObject({
        code: 'image_kind',
        params: { name: 'notes.txt' },
      });
      expect(await refused(file, 'cut.jpg', bytes.subarray(0, 300))).toMatchObject({
        code: 'image_unreadable',
        params: { name: 'cut.jpg' },
      });
      expect(await refused('checkpoint-epoch-9.pth.tar', 'a.jpg', bytes)).toMatchObject({
        code: 'checkpoint_gone',
        where: 'Node a',
      });

      const { runIds } = await runs.queue(bench.lab, [{ epochs: 3 }], run, { file, epoch: 1 });
      const next = await bench.until(runIds[0]!, 'finished');
      expect(next.name).toContain('from epoch 1, epochs 3');
      expect(next.origin).toMatchObject({ repeats: runId, checkpoint: { runId, file, epoch: 1 } });
      for (const rank of next.ranks) {
        const lines = await linesOf(bench.app.store, next.id, `rank-${rank.rank}`);
        expect(stepsOf(lines)).toEqual([3, 4, 5, 6, 7, 8]);
        // Every rank found its rank state of that checkpoint.
        expect(lines.filter((line) => line.kind === 'warning')).toEqual([]);
      }
      // The second epoch again, with bitwise equal losses.
      const losses = async (id: string) =>
        (await linesOf(bench.app.store, id, 'rank-1'))
          .filter((line) => line.kind === 'step' && line.epoch === 1)
          .map(({ loss }) => loss);
      expect(await losses(next.id)).toEqual(await losses(runId));
      expect(bench.app.problems).toEqual([]);
    },
  );
});
