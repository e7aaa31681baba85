import { writeFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunRecord, RunState } from '../../../shared/run/run.ts';
import { tookOf } from '../../../shared/run/took.ts';
import { smallCheckpoint } from '../testing/checkpoint-file.ts';
import { createBench, type Bench, type BenchOptions } from '../testing/bench.ts';

let bench: Bench;
const open = async (options?: BenchOptions): Promise<Bench> => (bench = await createBench(options));
afterEach(async () => {
  await bench.close();
});

const statesOf = (runs: readonly RunRecord[]): RunState[] =>
  runs.map((run) => run.state).filter((state, index, all) => state !== all[index - 1]);

const stepsOf = async (runId: string, rank: number): Promise<number[]> =>
  (await bench.store.lines({ runId, kinds: ['step'], source: `rank-${rank}`, limit: 10_000 })).map((point) =>
    Number(point.line.step),
  );

const counting = (to: number): number[] => Array.from({ length: to }, (_, index) => index);

describe('a run', () => {
  it('goes through its states, each stored before it is reported, and finishes with every line stored once', async () => {
    await open();
    const reported: RunState[] = [];
    bench.events.subscribe((event) => {
      if (event.name !== 'run.changed') return;
      const { run } = event.data;
      if (run.state !== reported.at(-1)) {
        reported.push(run.state);
        expect(bench.store.saved.at(-1)?.state).toBe(run.state);
      }
    });
    const { runId } = await bench.runs.start(bench.lab);
    const run = await bench.until(runId, 'finished');
    expect(reported).toEqual(['preparing', 'starting', 'running', 'finished']);
    expect(statesOf(bench.store.saved)).toEqual(['preparing', 'starting', 'running', 'finished']);
    expect(run).toMatchObject({ epochsCompleted: 2, step: 10, loss: 1.5, top1: 60, top5: 90, bestTop1: 60 });
    expect(run.ranks.map((rank) => [rank.state, rank.exit?.code])).toEqual([
      ['done', 0],
      ['done', 0],
      ['done', 0],
    ]);
    // By which real nodes are limited.
    expect(run.ranks.map((rank) => rank.address)).toEqual(Array(3).fill('127.0.0.1'));
    for (const rank of [0, 1, 2]) {
      expect(await stepsOf(runId, rank)).toEqual(counting(10));
      const onNode = await readFile(join(bench.rankFolder(runId, rank), 'metrics.jsonl'), 'utf8');
      expect(bench.store.raw(runId, `rank-${rank}`)).toBe(onNode);
    }
    expect(await bench.store.lines({ runId, kinds: ['sample'], limit: 100 })).toHaveLength(3);
    expect(bench.problems()).toEqual([]);
  });

  it('is not finished if a process reports done but epochs are missing', async () => {
    await open();
    await writeFile(join(bench.data, 'short'), '');
    const { runId } = await bench.runs.start(bench.lab);
    const run = await bench.until(runId, 'failed');
    expect(run.error).toMatchObject({ code: 'rank_failed', params: { code: 0 } });
  });

  it('leaves the bin when it is resumed: another window may have put it there', async () => {
    await open();
    await writeFile(join(bench.data, 'short'), '');
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, 'failed');
    await bench.runs.bin(runId, { nodes: false });
    expect(await bench.runs.list()).toEqual([]);
    await rm(join(bench.data, 'short'));
    await bench.runs.resume(runId);
    expect(await bench.runs.list()).toMatchObject([{ id: runId }]);
    expect(await bench.until(runId, 'finished')).not.toHaveProperty('binned');
  });

  it('took what its attempts took, without the time between them', async () => {
    await open();
    await writeFile(join(bench.data, 'short'), '');
    const { runId } = await bench.runs.start(bench.lab);
    const { endedAt = Infinity } = await bench.until(runId, 'failed');
    await rm(join(bench.data, 'short'));
    await bench.runs.resume(runId);
    const run = await bench.until(runId, 'finished');
    const { seconds = 0, since } = run.pause ?? {};
    expect([seconds > 0, since]).toEqual([true, undefined]);
    expect(endedAt + seconds).toBeLessThanOrEqual(run.endedAt ?? 0);
    expect(tookOf(run, Infinity)).toBeCloseTo((run.endedAt ?? 0) - (run.startedAt ?? 0) - seconds);
  });

  it('receives each line as it is written, not at the next poll: the trainer waits for it after each step', async () => {
    await open({ nodes: 1, steps: 10, epochs: 2, secondsAStep: 0, settings: { lookEvery: 5000 } });
    await writeFile(join(bench.data, 'paced'), '');
    const seen: number[] = [];
    bench.events.subscribe((event) => {
      if (event.name !== 'run.points') return;
      for (const { line } of event.data.points) {
        if (line.kind !== 'step') continue;
        seen.push(Number(line.step));
        writeFileSync(join(bench.data, `seen-${Number(line.step)}`), '');
      }
    });
    const { runId } = await bench.runs.start(bench.lab);
    // With polled lines alone it would take 50 s.
    await bench.until(runId, 'finished', 45);
    expect(seen).toEqual(counting(20));
  });

  it('loses nothing if the server has no free channel to watch files: they are polled', async () => {
    await open();
    bench.reach.refuseWatching = true;
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, 'finished');
    for (const rank of [0, 1, 2]) expect(await stepsOf(runId, rank)).toEqual(counting(10));
  });

  it('keeps a log that is readable while it runs, after its end, and without the node', async () => {
    await open({ nodes: 1 });
    const { runId } = await bench.runs.start(bench.lab);
    const query = { runId, rank: 0, offset: 0, limit: 100 };
    await expect
      .poll(async () => (await bench.runs.log(query).catch(() => undefined))?.text)
      .toContain('stand-in trainer');
    await bench.until(runId, 'finished');
    bench.reach.cut('node-0');
    const log = await bench.runs.log({ ...query, offset: -5, limit: 5 });
    const { size, arrivals = [], ...slice } = log;
    expect(slice).toEqual({ text: 'nk 0\n', offset: size - 5, nextOffset: size });
    expect(arrivals.map(({ line }) => line)).toEqual([0]);
    await expect(bench.runs.log({ ...query, rank: 9 })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('downloads its checkpoints at its end, and the newest on request', async () => {
    await open({ nodes: 1 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 2);
    await bench.hold();
    const early = await bench.runs.artifact(runId, 'checkpoint.pth.tar');
    expect(await readFile(early.path, 'utf8')).toMatch(/checkpoint of step \d\n$/);
    await bench.goOn();
    await bench.until(runId, 'finished');
    const home = join(bench.store.runFolder(runId), 'artifacts', 'checkpoint.pth.tar');
    await expect.poll(() => readFile(home, 'utf8')).toMatch(/checkpoint of step 10\n$/);
    bench.reach.cut('node-0');
    const kept = await bench.runs.artifact(runId, 'checkpoint.pth.tar');
    expect(kept).toEqual({ path: home, name: 'checkpoint.pth.tar', bytes: smallCheckpoint().length + 22 });
    await bench.runs.annotate(runId, { name: 'best so far', notes: 'lr 0.05' });
    expect(await bench.runs.list('lab-1')).toMatchObject([{ name: 'best so far', notes: 'lr 0.05' }]);
    expect(await bench.runs.list('another')).toEqual([]);
    await expect(bench.runs.delete(runId, { nodes: true })).rejects.toMatchObject({
      code: 'connection_lost',
    });
    await bench.runs.delete(runId, { nodes: false });
    await expect(bench.runs.get(runId)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is refused while another run of the lab is active', async () => {
    await open();
    await bench.hold();
    const { runId } = await bench.runs.start(bench.lab);
    await expect(bench.runs.start(bench.lab)).rejects.toMatchObject({
      code: 'run_wrong_state',
      params: { run: runId },
    });
    await expect(bench.runs.resume(runId)).rejects.toMatchObject({ code: 'run_wrong_state' });
    await expect(bench.runs.delete(runId, { nodes: false })).rejects.toMatchObject({
      code: 'run_wrong_state',
    });
  });

  it('is refused, or waits in the queue, while the resume of another one is being recorded', async () => {
    const isRecording = Promise.withResolvers<undefined>();
    const mayRecord = Promise.withResolvers<undefined>();
    await open({
      steps: 40,
      wrapStore: (store) => ({
        ...store,
        saveRun: async (run) => {
          if (run.attempt === 2) {
            isRecording.resolve(undefined);
            await mayRecord.promise;
          }
          await store.saveRun(run);
        },
      }),
    });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    await bench.runs.stop(runId);
    await bench.until(runId, 'stopped');
    await bench.hold();
    const resuming = bench.runs.resume(runId);
    await isRecording.promise;
    const [second, queued] = await Promise.allSettled([
      bench.runs.start(bench.lab),
      bench.runs.queue(bench.lab, [{}]),
    ]);
    mayRecord.resolve(undefined);
    await resuming;
    expect(second).toMatchObject({
      status: 'rejected',
      reason: { code: 'run_wrong_state', params: { run: runId } },
    });
    expect(queued.status).toBe('fulfilled');
    expect((await bench.runs.list()).map(({ state }) => state)).toContain('queued');
    expect((await bench.runs.get(runId)).attempt).toBe(2);
  });

  it('fails with the provisioner’s error and place', async () => {
    const { RinglabError } = await import('../../../shared/base/errors.ts');
    await open({
      prepare: () => Promise.reject(new RinglabError('node_no_compiler', {}, { where: 'Node 1' })),
    });
    const { runId } = await bench.runs.start(bench.lab);
    const run = await bench.until(runId, 'failed');
    expect(run.error).toMatchObject({ code: 'node_no_compiler', where: 'Node 1' });
  });

  it('does not start a lab with errors', async () => {
    await open();
    await expect(bench.runs.start({ ...bench.lab, nodes: [] })).rejects.toMatchObject({
      code: 'lab_has_errors',
    });
    expect(await bench.runs.list()).toEqual([]);
  });
});

describe('stopping', () => {
  it('is graceful, and a resumed run continues in the same folders as one curve', async () => {
    // Many: on a busy machine a rank may be far ahead of the one that is looked at.
    await open({ steps: 40 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 4);
    await bench.hold();
    await bench.runs.stop(runId);
    await bench.goOn();
    const stopped = await bench.until(runId, 'stopped');
    expect(stopped.ranks.map((rank) => rank.exit?.code)).toEqual([7, 7, 7]);
    expect(stopped.error).toBeUndefined();
    await bench.runs.resume(runId);
    const run = await bench.until(runId, 'finished');
    expect(run.attempt).toBe(2);
    expect(run.ranks[0]?.argv).toContain('--resume');
    for (const rank of [0, 1, 2]) expect(await stepsOf(runId, rank)).toEqual(counting(80));
    await expect(bench.runs.resume(runId)).rejects.toMatchObject({ code: 'run_wrong_state' });
  });

  const home = (runId: string): Promise<string> =>
    readFile(join(bench.store.runFolder(runId), 'artifacts', 'checkpoint.pth.tar'), 'utf8').catch(() => '');

  it('keeps the copy of the checkpoint on this computer: the run continues from it where rank 0’s folder is gone', async () => {
    await open({ steps: 40 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 4);
    await bench.runs.stop(runId);
    await bench.until(runId, 'stopped');
    await expect.poll(() => home(runId)).toMatch(/of step \d+\n$/);
    const saved = Number(/(\d+)\n$/.exec(await home(runId))?.[1]);
    await rm(bench.rankFolder(runId, 0), { recursive: true });
    await bench.runs.resume(runId);
    const { ranks } = await bench.until(runId, 'finished');
    for (const { argv } of ranks)
      expect(argv).toEqual(expect.arrayContaining(['--resume', '--fresh-rank-state']));
    const lines = await readFile(join(bench.rankFolder(runId, 0), 'metrics.jsonl'), 'utf8');
    expect(lines).toContain(`"start_step":${saved}}`);
    await expect.poll(() => home(runId)).toMatch(/of step 80\n$/);
  });

  it('a run that has saved does not begin anew where its checkpoint is neither there nor here', async () => {
    // No checkpoint is as small as that: none is fetched.
    await open({ steps: 40, settings: { fetchBytes: 1 } });
    await writeFile(join(bench.data, 'noted'), '');
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 4);
    await bench.runs.stop(runId);
    await bench.until(runId, 'stopped');
    await rm(bench.rankFolder(runId, 0), { recursive: true });
    await bench.runs.resume(runId);
    const { error } = await bench.until(runId, 'failed');
    expect(error).toMatchObject({
      ...{ code: 'checkpoint_gone', where: 'Node 0' },
      params: { file: 'checkpoint.pth.tar' },
    });
  });

  it('twice, or after the grace period, kills the ranks', async () => {
    await open({ secondsAStep: 0.2, epochs: 50 });
    await writeFile(join(bench.data, 'hang'), '');
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    await bench.runs.stop(runId);
    await bench.until(runId, 'stopping');
    await bench.runs.stop(runId);
    const run = await bench.until(runId, 'stopped');
    expect(run.ranks.map((rank) => rank.exit?.signal)).toEqual([9, 9, 9]);
    expect(run.ranks.map((rank) => rank.state)).toEqual(['stopped', 'stopped', 'stopped']);
  });

  it('waits for the end of a step that takes longer than the grace period', async () => {
    await open({ secondsAStep: 2, epochs: 50, settings: { stopGrace: 300 } });
    await writeFile(join(bench.data, 'timed'), '');
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    await bench.runs.stop(runId);
    const run = await bench.until(runId, 'stopped');
    expect(run.ranks.map(({ exit }) => exit?.code)).toEqual([7, 7, 7]);
  });

  it('while nodes are prepared ends the preparation', async () => {
    await open({
      prepare: (signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.runs.stop(runId);
    const run = await bench.until(runId, 'stopped');
    expect(run.error).toBeUndefined();
    expect(run.ranks).toEqual([]);
  });
});
