/**
 * Tests the run service on the real store, local nodes over SSH, provisioner and trainer. `npm test` builds the
 * trainer first.
 */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
      const [picture = ''] = await readdir(stars);
      const file = 'checkpoint-epoch-1.pth.tar';
      const bytes = await readFile(join(stars, picture));
      const found = await runs.classify(runId, file, { name: picture, bytes });
      expect(found).toMatchObject({ architecture: 'resnet18', epoch: 1, size: 16, node: 'Node a' });
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
      // The picture does not stay on the node.
      expect(await readdir(join(dirname(run.ranks[0]!.directory), 'pictures'))).toEqual([]);

      const refused = (from: typeof file | 'checkpoint-epoch-9.pth.tar', name: string, content: Uint8Array) =>
        runs.classify(runId, from, { name, bytes: content }).catch((error: unknown) => error);
      expect(await refused(file, 'notes.txt', Buffer.from('no picture'))).toMatchObject({
        code: 'picture_kind',
        params: { name: 'notes.txt' },
      });
      expect(await refused(file, 'cut.jpg', bytes.subarray(0, 300))).toMatchObject({
        code: 'picture_unreadable',
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
