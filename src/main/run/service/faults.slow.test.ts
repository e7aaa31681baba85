import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { defaultSettings } from '../record/settings.ts';
import { createBench, type Bench, type BenchOptions } from '../testing/bench.ts';
import { endProcess } from '../../ssh/testing/processes.ts';

let bench: Bench;
const open = async (options?: BenchOptions): Promise<Bench> => (bench = await createBench(options));
afterEach(async () => {
  await bench.close();
});

const counting = (to: number): number[] => Array.from({ length: to }, (_, index) => index);
const seqsOf = async (runId: string, rank: number): Promise<number[]> =>
  (
    await bench.store.lines({
      runId,
      kinds: ['start', 'step', 'eval', 'epoch', 'end', 'error'],
      source: `rank-${rank}`,
      limit: 9999,
    })
  ).map((point) => point.line.seq);
const pidOf = async (runId: string, rank: number): Promise<number> => {
  const file = JSON.parse(await readFile(join(bench.rankFolder(runId, rank), 'pid'), 'utf8')) as {
    pid: number;
  };
  return file.pid;
};
const launcherOf = (pid: number): number =>
  Number(
    execFileSync('sh', ['-c', `sed 's/.*) //' /proc/${pid}/stat | cut -d' ' -f2`], { encoding: 'utf8' }),
  );
/** Expects that every line of the nodes is stored exactly once, and nothing else. */
const expectAllStored = async (runId: string): Promise<void> => {
  for (const rank of [0, 1, 2]) {
    const onNode = await readFile(join(bench.rankFolder(runId, rank), 'metrics.jsonl'), 'utf8');
    expect(bench.store.raw(runId, `rank-${rank}`)).toBe(onNode);
    expect(await seqsOf(runId, rank)).toEqual(counting(onNode.split('\n').length - 1));
  }
};

describe('faults', () => {
  it('fault 16: a run waits for an unreachable node, and continues without a gap when it is back', async () => {
    await open({ steps: 15 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 3);
    await bench.hold();
    bench.reach.cut('node-1');
    const waiting = await bench.until(runId, 'waiting');
    expect(Object.keys(waiting.unreachable)).toEqual(['node-1']);
    expect(waiting.ranks.map((rank) => rank.state)).toEqual(['running', 'unreachable', 'running']);
    bench.reach.mend('node-1');
    const back = await bench.until(runId, 'running');
    expect(back.unreachable).toEqual({});
    await bench.goOn();
    await bench.until(runId, 'finished');
    await expectAllStored(runId);
  });

  it('fault 16: a stop reaches the rank of an unreachable node when the node is back', async () => {
    await open({ epochs: 100 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    bench.reach.cut('node-2');
    await bench.until(runId, 'waiting');
    await bench.runs.stop(runId);
    const run = await bench.until(
      runId,
      (now) => now.ranks.filter((rank) => rank.state === 'stopped').length === 2,
    );
    expect(run.state).toBe('stopping');
    bench.reach.mend('node-2');
    await bench.until(runId, 'stopped');
  });

  it('fault 16: a node that never returns is lost; a second stop gives it up at once', async () => {
    await open({ epochs: 100 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    bench.reach.cut('node-2');
    await bench.until(runId, 'waiting');
    await bench.runs.stop(runId);
    await bench.runs.stop(runId);
    const run = await bench.until(runId, 'lost');
    expect(run.ranks[2]?.state).toBe('lost');
    expect(run.error).toMatchObject({ code: 'rank_lost', params: { node: 'Node 2' } });

    const left = await pidOf(runId, 2);
    bench.reach.mend('node-2');
    await bench.runs.resume(runId);
    const resumed = await bench.until(runId, 'running');
    expect(resumed.ranks[2]?.process?.pid).not.toBe(left);
    // The orphaned rank has been ended: two would write the same files.
    expect(() => process.kill(left, 0)).toThrow('ESRCH');
  });

  it('fault 23: a node whose disk is too full for the next checkpoint is reported, and the run continues', async () => {
    // Enough for the log of the other nodes, but too little for rank 0's checkpoint.
    await open({ diskFree: 100_000_000 });
    const { runId } = await bench.runs.start(bench.lab);
    const run = await bench.until(runId, 'finished');
    const problems = bench.problems().filter((problem) => problem.startsWith('node_disk_low'));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('"free":100000000');
    expect(run.events?.filter(({ kind }) => kind === 'disk')).toMatchObject([{ what: 'Node 0' }]);
  });

  it('fault 24: while this computer’s disk is full, reading pauses and reports it, then continues', async () => {
    await open();
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 2);
    await bench.hold();
    bench.store.full = true;
    await bench.goOn();
    await expect.poll(() => bench.problems().join()).toContain('local_disk_full');
    // The ranks continue to their end meanwhile.
    const log = join(bench.rankFolder(runId, 0), 'metrics.jsonl');
    await expect.poll(() => readFile(log, 'utf8')).toContain('"kind":"end"');
    bench.store.full = false;
    await bench.until(runId, 'finished');
    await expectAllStored(runId);
  });

  it('fault 25: the run survives a kill of the app and is found again; no line is missing or duplicated', async () => {
    await open({ steps: 20 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 5);
    await bench.hold();
    const pid = await pidOf(runId, 0);
    const runs = await bench.restart();
    const written = async (): Promise<number> =>
      (await readFile(join(bench.rankFolder(runId, 0), 'metrics.jsonl'), 'utf8')).length;
    const before = await written();
    await bench.goOn();
    // More than the step that was being written when it was suspended.
    await expect.poll(written).toBeGreaterThan(before + 200);
    expect((await runs.get(runId)).state).toBe('running');
    await runs.adopt();
    expect((await runs.get(runId)).ranks[0]?.process?.pid).toBe(pid);
    const run = await bench.until(runId, 'finished');
    expect(run).toMatchObject({ step: 40, epochsCompleted: 2 });
    await expectAllStored(runId);
  });

  it('fault 25: a run that ended while the app was closed is found finished, with every line', async () => {
    await open();
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, 'running');
    const runs = await bench.restart();
    await expect
      .poll(() => readFile(join(bench.rankFolder(runId, 2), 'exit.json'), 'utf8').catch(() => ''))
      .toContain('"code":0');
    await runs.adopt();
    await bench.until(runId, 'finished');
    await expectAllStored(runId);
  });

  it('fault 25: if the app is killed while preparing nodes, the run is interrupted and can be resumed', async () => {
    let block = true;
    await open({ prepare: () => (block ? new Promise(() => undefined) : Promise.resolve()) });
    const { runId } = await bench.runs.start(bench.lab);
    const stored = bench.store.saved.at(-1)!;
    block = false;
    // The suspended process was killed: a second service finds what it had stored.
    const runs = (await import('../index.ts')).createRuns({
      store: bench.store,
      reach: bench.reach,
      events: bench.events,
      provisioner: {
        prepare: () => Promise.reject(new Error('not used')),
        probe: () => Promise.reject(new Error('not used')),
        lock: () => Promise.resolve([]),
        bundle: () => Promise.reject(new Error('not used here')),
        takeBundle: () => Promise.reject(new Error('not used here')),
        plan: () => Promise.resolve([]),
        remove: () => Promise.reject(new Error('not used')),
        reboot: () => Promise.resolve(),
        status: () => [],
        forget: () => undefined,
      },
    });
    expect(stored.state).toBe('preparing');
    await runs.adopt();
    expect(await runs.get(runId)).toMatchObject({ state: 'interrupted', error: { code: 'run_interrupted' } });
    await runs.close();
  });

  it('fault 25: if the app is killed while starting ranks, the run is interrupted and its ranks are stopped', async () => {
    await open({ epochs: 100 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    await bench.runs.stop(runId);
    await bench.until(runId, 'stopped');
    await bench.runs.resume(runId);
    await bench.until(runId, 'running');
    const pid = await pidOf(runId, 0);
    const runs = await bench.restart();
    // As stored between the starts of ranks 0 and 1: files on the other nodes are of the previous attempt.
    const stored = (await bench.store.getRun(runId))!;
    for (const rank of [1, 2]) {
      const other = await pidOf(runId, rank);
      endProcess(launcherOf(other));
      endProcess(other);
      const file = join(bench.rankFolder(runId, rank), 'pid');
      await writeFile(file, (await readFile(file, 'utf8')).replace('"attempt":2', '"attempt":1'));
    }
    const ranks = stored.ranks.map((rank) =>
      rank.rank === 0 ? rank : { ...rank, state: 'pending' as const, process: undefined },
    );
    await bench.store.saveRun({ ...stored, state: 'starting', ranks });
    await runs.adopt();
    const run = await bench.until(runId, 'interrupted');
    expect(run.error).toMatchObject({ code: 'run_interrupted' });
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('fault 26: if only the launcher is killed, a trainer that finished counts as done', async () => {
    await open();
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    await bench.hold();
    endProcess(launcherOf(await pidOf(runId, 1)));
    await bench.goOn();
    const run = await bench.until(runId, 'finished');
    expect(run.ranks[1]).toMatchObject({ state: 'done', exit: { code: 0 } });
  });

  it('fault 26: with the app’s own time-outs a killed rank stops the others within 5 s', () => {
    const { lookEvery, causePatience, failGrace } = defaultSettings;
    expect(lookEvery + causePatience + failGrace).toBeLessThanOrEqual(5000);
  });

  it('fault 26: a killed rank stops the others; the cause is reported with its last lines', async () => {
    await open({ epochs: 100 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 3);
    endProcess(await pidOf(runId, 1));
    const run = await bench.until(runId, 'failed');
    expect(run.error).toMatchObject({
      code: 'rank_killed',
      params: { rank: 1, node: 'Node 1', signal: 'SIGKILL' },
    });
    expect(run.ranks[1]).toMatchObject({
      state: 'failed',
      exit: { code: null, signal: 9 },
      lastWords: ['stand-in trainer, rank 1'],
    });
    expect(run.ranks[0]).toMatchObject({ state: 'stopped', exit: { code: 7 } });
    await expectAllStored(runId);
  });

  it('fault 26: the kernel’s out-of-memory message becomes the cause', async () => {
    await open({ epochs: 100 });
    const bin = join(bench.folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'dmesg'), '#!/bin/sh\ncat "$HOME/../dmesg.txt"\n', { mode: 0o755 });
    await writeFile(join(bench.folder, 'dmesg.txt'), '');
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    const pid = await pidOf(runId, 0);
    await writeFile(
      join(bench.folder, 'dmesg.txt'),
      `[99.1] Out of memory: Killed process ${pid} (ringlab-train) total-vm:9kB\n`,
    );
    endProcess(pid);
    const run = await bench.until(runId, 'failed');
    expect(run.error).toMatchObject({ code: 'rank_out_of_memory', params: { rank: 0, node: 'Node 0' } });
  });

  it('fault 26: a rank killed together with its launcher is noticed, and so is one that exits with its own code', async () => {
    await open({ epochs: 100 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    const pid = await pidOf(runId, 2);
    endProcess(launcherOf(pid));
    endProcess(pid);
    const run = await bench.until(runId, 'failed');
    expect(run.error).toMatchObject({ code: 'rank_lost', params: { rank: 2, node: 'Node 2' } });
  });

  it('fault 26: the trainer’s own error becomes the run’s, not that of the peers that lost it', async () => {
    await open({ epochs: 100 });
    await writeFile(join(bench.data, 'fail-5'), '');
    const { runId } = await bench.runs.start(bench.lab);
    const run = await bench.until(runId, 'failed');
    expect(run.error).toMatchObject({ code: 'diverged', params: { rank: 1, step: 3 }, where: 'Node 1' });
    expect(run.ranks[1]?.lastWords).toEqual(['stand-in trainer, rank 1', 'loss is nan']);
  });

  it('a failed rank’s last lines are diagnosed: cause, remedy and action', async () => {
    await open({ epochs: 100 });
    const words =
      'RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 9.78 GiB total capacity)';
    await writeFile(join(bench.data, 'fail-1'), `${words}\n`);
    const { runId } = await bench.runs.start(bench.lab);
    const run = await bench.until(runId, 'failed');
    expect(run.ranks[1]?.diagnoses).toMatchObject([
      { code: 'cuda.out_of_memory', action: 'halve_batch', line: words },
    ]);
    expect(run.ranks[0]?.diagnoses).toBeUndefined();
  });

  it('fault 26: a rank that ignores the stop request is killed', async () => {
    await open({ epochs: 100, secondsAStep: 0.2 });
    await writeFile(join(bench.data, 'hang'), '');
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    endProcess(await pidOf(runId, 1));
    const run = await bench.until(runId, 'failed');
    expect(run.error).toMatchObject({ code: 'rank_killed', params: { rank: 1 } });
    expect(run.ranks[0]?.exit?.signal).toBe(9);
  });

  it('fault 27: a node’s reboot interrupts the run, which reports the epoch to resume from', async () => {
    await open({ steps: 5, epochs: 100 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.epochsCompleted >= 1);
    for (const rank of [0, 1, 2]) {
      const pid = await pidOf(runId, rank);
      endProcess(launcherOf(pid));
      endProcess(pid);
    }
    await writeFile(join(bench.folder, 'boot-id'), 'boot-2\n');
    const run = await bench.until(runId, 'interrupted');
    expect(run.error).toMatchObject({ code: 'run_interrupted', params: { epoch: run.epochsCompleted } });
    expect(String(run.error?.params.reason)).toMatch(/Node \d was restarted/);
    await bench.runs.resume(runId);
    const again = await bench.until(runId, 'running');
    expect(again.error).toBeUndefined();
    expect(again.ranks[0]?.argv.slice(-3)).toEqual(['--resume', 'checkpoint.pth.tar', bench.data]);
  });

  it('fault 28: a process that reuses the rank’s number is not mistaken for it, and never gets a signal', async () => {
    await open({ epochs: 100 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.step >= 1);
    const pid = await pidOf(runId, 1);
    endProcess(launcherOf(pid));
    endProcess(pid);
    // Another process of the same boot and number, but with another start time: this test's own.
    const file = join(bench.rankFolder(runId, 1), 'pid');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/"pid":\d+/, `"pid":${process.pid}`));
    const run = await bench.until(runId, 'failed');
    expect(run.error).toMatchObject({ code: 'rank_lost', params: { rank: 1 } });
  });

  it('fault 29: an incomplete last line is not read until it is complete', async () => {
    await open({ epochs: 100, secondsAStep: 5 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, (run) => run.state === 'running');
    const file = join(bench.rankFolder(runId, 0), 'metrics.jsonl');
    await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toContain('\n');
    await appendFile(file, '{"v":1,"seq":1,"t":5,"kind":"step","st');
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(bench.store.raw(runId, 'rank-0')).not.toContain('"seq":1');
    expect((await bench.runs.get(runId)).badLines).toBe(0);
    await appendFile(file, 'ep":7,"loss":2,"text":"Zürich 图"}\n');
    await bench.until(runId, (run) => run.step === 8);
    expect(bench.store.raw(runId, 'rank-0')).toContain('Zürich 图');
  });

  it('fault 30: a repeated line is one point, an invalid line is counted', async () => {
    await open({ epochs: 100, secondsAStep: 5 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, 'running');
    const file = join(bench.rankFolder(runId, 0), 'metrics.jsonl');
    await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toContain('\n');
    const line = (seq: number): string => `{"v":1,"seq":${seq},"t":5,"kind":"step","step":${seq},"loss":2}\n`;
    await appendFile(file, `${line(2)}${line(1)}nonsense\n${line(2)}`);
    const run = await bench.until(runId, (now) => now.badLines === 1);
    await bench.until(runId, (now) => now.step >= 2);
    expect(run.state).toBe('running');
    expect(await seqsOf(runId, 0)).toEqual([0, 1, 2]);
  });

  it('fault 32: a file that shrank is read again with a warning, and stored lines stay', async () => {
    await open({ epochs: 100, secondsAStep: 5 });
    const { runId } = await bench.runs.start(bench.lab);
    await bench.until(runId, 'running');
    const file = join(bench.rankFolder(runId, 0), 'metrics.jsonl');
    await expect.poll(() => bench.store.raw(runId, 'rank-0')).toContain('"start"');
    await truncate(file, 0);
    await expect.poll(() => bench.problems().join()).toContain('shrank');
    await appendFile(file, '{"v":1,"seq":1,"t":5,"kind":"step","step":1,"loss":2}\n');
    await bench.until(runId, (run) => run.step === 2);
    expect(await seqsOf(runId, 0)).toEqual([0, 1]);
  });

  it('fault 33: the ends of ranks are within the run, even if a clock is an hour off', async () => {
    // The fake nodes share one clock: after the correction the second seems to have ended an hour ago.
    await open({ epochs: 1, clocksAhead: [0, 3600] });
    const { runId } = await bench.runs.start(bench.lab);
    const { ranks, clocks, startedAt = 0, endedAt = 0 } = await bench.until(runId, 'finished');
    expect(clocks?.['node-0']).toEqual([{ from: 0, ahead: 0 }]);
    expect(clocks?.['node-1']).toEqual([{ from: 0, ahead: 3600 }]);
    const [first = 0, second = 0] = ranks.map(({ exit }) => exit?.t ?? 0);
    expect(first).toBeGreaterThanOrEqual(startedAt);
    expect(first).toBeLessThanOrEqual(endedAt);
    expect(second).toBe(startedAt);
  });
});
