import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { AnyEvent } from '../../../shared/contract/api.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { createEventLog } from '../../base/events.ts';
import { systemClock } from '../../base/clock.ts';
import type { Store } from '../../store/index.ts';
import { keepRecord } from './record.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function keep(initial: RunRecord) {
  const saved: RunRecord[] = [];
  const reported: AnyEvent[] = [];
  const events = createEventLog();
  events.subscribe((event) => reported.push(event));
  // The test uses nothing else of the store.
  const store = { saveRun: (run: RunRecord) => Promise.resolve(void saved.push(run)) } as Store;
  return {
    saved,
    reported,
    keeper: keepRecord({ store, events, clock: systemClock, diskFullRetry: 1 }, initial),
  };
}

it('reports only changed progress, and the whole record after any other change', async () => {
  const { keeper, saved, reported } = keep(runRecord('r', { attempt: 2 }));
  keeper.progress({ step: 1, loss: 2 });
  keeper.progress({ step: 2, loss: null });
  await vi.advanceTimersByTimeAsync(250);
  keeper.progress({ epochsCompleted: 1 });
  await vi.advanceTimersByTimeAsync(250);
  expect(reported.map(({ name, data }) => [name, data])).toEqual([
    ['run.progress', { runId: 'r', progress: { step: 2, epochsCompleted: 0, badLines: 0, loss: null } }],
    // The whole progress: a client that skipped the event before needs no other.
    ['run.progress', { runId: 'r', progress: { step: 2, epochsCompleted: 1, badLines: 0, loss: null } }],
  ]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(saved.at(-1)).toMatchObject({ step: 2, epochsCompleted: 1, attempt: 2 });
  reported.length = 0;
  await keeper.change((run) => ({ ...run, notes: 'seen' }));
  expect(reported).toMatchObject([
    { name: 'run.changed', data: { run: { notes: 'seen', step: 2, epochsCompleted: 1, loss: null } } },
  ]);
  await keeper.close();
});

it('stores and reports changes that wait together, up to one of the state; each gets its own error', async () => {
  const { keeper, saved, reported } = keep(runRecord('r', { state: 'starting', notes: '' }));
  const note = (mark: string) => keeper.change((run) => ({ ...run, notes: run.notes + mark }));
  const first = note('a');
  const all = Promise.all([
    note('b'),
    note('c'),
    keeper.change((run) => ({ ...run, state: 'running' })),
    note('d'),
  ]);
  const refused = keeper.change((run) => ({ ...run, state: 'queued' }));
  await expect(refused).rejects.toMatchObject({ code: 'run_wrong_state' });
  expect((await first).notes).toContain('a');
  await all;
  expect(keeper.current).toMatchObject({ notes: 'abcd', state: 'running' });
  expect(saved.map(({ notes, state }) => [notes, state])).toEqual([
    ['abc', 'running'],
    ['abcd', 'running'],
  ]);
  expect(reported.filter(({ name }) => name === 'run.changed')).toHaveLength(2);
  await keeper.close();
});

it('waits where the disk is full until it is closed: then the change is rejected, and the record stays', async () => {
  const initial = runRecord('r', { state: 'running' });
  const store = { saveRun: () => Promise.reject(new RinglabError('local_disk_full', { path: '/' })) };
  const events = createEventLog();
  const keeper = keepRecord({ store, events, clock: systemClock, diskFullRetry: 1 }, initial);
  const refused = expect(keeper.change((run) => ({ ...run, state: 'stopping' }))).rejects.toMatchObject({
    code: 'cancelled',
  });
  await vi.advanceTimersByTimeAsync(5);
  keeper.stopWaiting();
  await refused;
  keeper.progress({ step: 3 });
  await keeper.close();
  expect(keeper.current.state).toBe('running');
});

it('waits for a minute where the file cannot be written, and reports it once', async () => {
  const initial = runRecord('r', { state: 'running' });
  const saved: RunRecord[] = [];
  let isHeld = true;
  const store = {
    saveRun: (run: RunRecord) =>
      isHeld
        ? Promise.reject(new RinglabError('file_unwritable', { path: 'run.json', reason: 'EBUSY' }))
        : Promise.resolve(void saved.push(run)),
  };
  const problems: AnyEvent[] = [];
  const events = createEventLog();
  events.subscribe((event) => {
    if (event.name === 'app.problem') problems.push(event);
  });
  const keeper = keepRecord({ store, events, clock: systemClock, diskFullRetry: 5000 }, initial);
  const stopping = keeper.change((run) => ({ ...run, state: 'stopping' }));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(problems).toHaveLength(1);
  isHeld = false;
  await vi.advanceTimersByTimeAsync(5000);
  expect((await stopping).state).toBe('stopping');
  expect(saved.map(({ state }) => state)).toEqual(['stopping']);
  isHeld = true;
  const refused = expect(keeper.change((run) => ({ ...run, notes: 'seen' }))).rejects.toMatchObject({
    code: 'file_unwritable',
  });
  await vi.advanceTimersByTimeAsync(70_000);
  await refused;
  expect(keeper.current.notes).toBe('');
  await keeper.close();
});
