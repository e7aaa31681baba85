import { describe, expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { rankSource } from '../../../shared/metrics/metrics.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { createEventLog } from '../../base/events.ts';
import { createQueue } from './queue.ts';
import { createStoredChanges } from './stored-changes.ts';

function queueOf(launch: (run: RunRecord, stored: Map<string, RunRecord>) => Promise<unknown>) {
  const stored = new Map(
    ['b', 'c'].map((id, at) => [id, runRecord(id, { state: 'queued', createdAt: at })] as const),
  );
  const launched: string[] = [];
  const retries: (() => void)[] = [];
  const store = {
    listRuns: () => Promise.resolve([...stored.values()]),
    getRun: (id: string) => Promise.resolve(stored.get(id)),
    saveRun: (run: RunRecord) => Promise.resolve(void stored.set(run.id, run)),
    lines: ({ runId }: { readonly runId: string }) =>
      Promise.resolve(runId === 'plots' ? [{ source: rankSource(0), line: scalarLine }] : []),
  };
  const events = createEventLog();
  const queue = createQueue({
    ...{ store, events, change: createStoredChanges({ store, events, active: new Map() }).change },
    now: () => 1,
    busy: () => false,
    retry: () => new Promise((resolve) => retries.push(() => resolve(undefined))),
    launch(run) {
      launched.push(run.id);
      return launch(run, stored);
    },
  });
  /** The time of the next try has come. */
  const tryAgain = async (): Promise<void> => {
    await expect.poll(() => retries.length).toBe(1);
    retries.pop()?.();
  };
  return { queue, launched, stored, retries, tryAgain, events };
}
const scalarLine = { v: 1, kind: 'scalar', seq: 1, t: 1 } as const;
const ended = runRecord('a', { state: 'finished' });
const refused = new RinglabError('run_wrong_state', { state: 'stopped', remedy: '' });

it('the next run starts where the first one left the queue while it was about to start', async () => {
  const { queue, launched } = queueOf(async (run) => {
    if (run.id !== 'b') return;
    await queue.leave(run);
    throw refused;
  });
  await queue.after(ended);
  expect(launched).toEqual(['b', 'c']);
});

it('no other run starts where the first one cannot', async () => {
  const { queue, launched } = queueOf(() => Promise.reject(refused));
  await expect(queue.after(ended)).rejects.toBe(refused);
  expect(launched).toEqual(['b']);
});

describe('a start that cannot be recorded', () => {
  const unwritable = new RinglabError('file_unwritable', { path: 'run.json', reason: 'EBUSY' });

  it('is tried again until it is: no other run’s end would start it', async () => {
    let fails = 3;
    const { queue, launched, tryAgain, retries } = queueOf((run, stored) => {
      fails -= 1;
      return fails >= 0
        ? Promise.reject(unwritable)
        : Promise.resolve(void stored.set(run.id, { ...run, state: 'preparing' }));
    });
    await expect(queue.after(ended)).rejects.toBe(unwritable);
    // Its end is one more occasion, not one more series of tries.
    await expect(queue.after(ended)).rejects.toBe(unwritable);
    await tryAgain();
    await tryAgain();
    await expect.poll(() => launched).toEqual(['b', 'b', 'b', 'b']);
    await queue.settled();
    expect(retries).toEqual([]);
  });

  it('is not tried again where the run has left the queue, or waits for the user', async () => {
    const { queue, launched, stored, tryAgain } = queueOf(() => Promise.reject(unwritable));
    await expect(queue.after(ended)).rejects.toBe(unwritable);
    for (const run of stored.values()) stored.set(run.id, { ...run, heldBy: 'x' });
    await tryAgain();
    await queue.settled();
    expect(launched).toEqual(['b']);
  });
});

describe('runs that waited when the user stopped one', () => {
  const stopped = runRecord('a', { state: 'stopped', step: 3 });
  const later = runRecord('d', { createdAt: 9 });
  const benchOf = async () => {
    const bench = queueOf((run, stored) =>
      Promise.resolve(void stored.set(run.id, { ...run, state: 'preparing', heldBy: undefined })),
    );
    await bench.queue.hold(stopped);
    await bench.queue.after(stopped);
    expect(bench.launched).toEqual([]);
    const recordOf = (id: string): RunRecord => bench.stored.get(id) ?? runRecord('none');
    /** The user starts or resumes it, and it finishes. */
    const start = async (record: RunRecord): Promise<void> => {
      await bench.queue.release(record);
      bench.stored.set(record.id, { ...record, state: 'finished', heldBy: undefined });
      await bench.queue.after({ ...record, state: 'finished' });
    };
    return { ...bench, recordOf, start };
  };

  it('do not start because another one is queued, started or resumed and finishes', async () => {
    const { queue, launched, start } = await benchOf();
    await queue.add([later]);
    expect(launched).toEqual(['d']);
    await queue.after({ ...later, state: 'finished' });
    await start(runRecord('e', { state: 'interrupted' }));
    expect(launched).toEqual(['d']);
  });

  it('go on when the user starts one of them', async () => {
    const { launched, recordOf, start } = await benchOf();
    await start(recordOf('c'));
    expect(launched).toEqual(['b']);
  });

  it('go on when the user resumes the run that was stopped, and it finishes', async () => {
    const { launched, start } = await benchOf();
    await start(stopped);
    expect(launched).toEqual(['b']);
  });

  it('stay held when the command line starts one of them alone', async () => {
    const { queue, launched, recordOf } = await benchOf();
    await queue.release(recordOf('c'), true);
    await queue.after({ ...recordOf('c'), state: 'finished' });
    expect(launched).toEqual(['c']);
    expect(recordOf('b').heldBy).toBe('a');
  });

  it('wait for the user again where a run that was queued later fails before its first step', async () => {
    const { queue, launched, recordOf } = await benchOf();
    await queue.add([later, runRecord('e', { createdAt: 10 })]);
    await queue.hold({ ...later, state: 'failed' });
    await queue.after({ ...later, state: 'failed' });
    expect(launched).toEqual(['d']);
    expect(['b', 'c', 'e'].map((id) => recordOf(id).heldBy)).toEqual(['a', 'a', 'd']);
  });

  it('are not held any more when they have left the queue', async () => {
    const { queue, recordOf } = await benchOf();
    await queue.leave(recordOf('b'));
    expect(recordOf('b')).toMatchObject({ state: 'stopped', heldBy: undefined });
  });
});

describe('a run that failed without a step', () => {
  const script = { source: { type: 'folder', path: '/s' }, file: 'train.py', arguments: '' } as const;
  const { lab } = runRecord('a');
  const own = { ...lab, experiment: { ...lab.experiment, script } };
  const failed = (change: Partial<RunRecord>, id = 'a'): RunRecord =>
    runRecord(id, { state: 'failed', startedAt: 0, endedAt: 9, ...change });
  const holds = async (run: RunRecord): Promise<boolean> => {
    const { queue, stored, launched } = queueOf(() => Promise.resolve());
    await queue.hold(run);
    await queue.after(run);
    const isHeld = stored.get('b')?.heldBy === run.id;
    expect(launched).toEqual(isHeld ? [] : ['b']);
    return isHeld;
  };

  it('holds the next one, also a script that ended soon', async () => {
    expect(await holds(failed({}))).toBe(true);
    expect(await holds(failed({ endedAt: 7200 }))).toBe(true);
    expect(await holds(failed({ lab: own }))).toBe(true);
  });

  it('holds nothing where it is a script that worked for minutes, or has written points', async () => {
    expect(await holds(failed({ lab: own, endedAt: 7200 }))).toBe(false);
    expect(await holds(failed({ lab: own }, 'plots'))).toBe(false);
    expect(await holds(failed({ lab: own, endedAt: 7200, state: 'stopped' }))).toBe(true);
  });

  it('holds nothing where its own settings explain it', async () => {
    for (const code of ['rank_out_of_memory', 'diverged'] as const)
      expect(await holds(failed({ error: { code, params: {} } }))).toBe(false);
    expect(await holds(failed({ error: { code: 'rank_killed', params: {} } }))).toBe(true);
    const rank = {
      rank: 0,
      nodeId: 'a',
      nodeName: 'A',
      localRank: 0,
      state: 'failed',
      env: {},
    } as const;
    const text = { en: '', 'zh-CN': '' };
    const diagnoses = [{ code: 'cuda.out_of_memory', cause: text, remedy: text, line: '' }];
    expect(await holds(failed({ lab: own, ranks: [{ ...rank, argv: [], directory: '/', diagnoses }] }))).toBe(
      false,
    );
  });
});

it('runs that are recorded are queued, whether or not the first can start', async () => {
  for (const [error, reported] of [
    [refused, 0],
    [new RinglabError('file_unwritable', { path: 'run.json', reason: 'EBUSY' }), 1],
  ] as const) {
    const { queue, stored, events } = queueOf(() => Promise.reject(error));
    const problems: unknown[] = [];
    events.subscribe((event) => event.name === 'app.problem' && problems.push(event));
    await queue.add([runRecord('d', { createdAt: 9 })]);
    expect(stored.get('d')?.state).toBe('queued');
    expect(problems).toHaveLength(reported);
  }
});
