import { expect, it } from 'vitest';
import { runRecord } from '../../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../../shared/run/run.ts';
import { needsApp } from './needs-app.ts';

const live = runRecord('live', { state: 'running' });
const queued = runRecord('queued', { state: 'queued' });
const ended = runRecord('ended', { state: 'finished', endedAt: 9990 });

/** @param stored what the store would find */
function runsOf(underWay: readonly RunRecord[], stored: readonly RunRecord[]) {
  const asked: number[] = [];
  const runs = {
    underWay: () => [...underWay],
    recent(since: number) {
      asked.push(since);
      return Promise.resolve([...stored]);
    },
  };
  return { runs, asked };
}

it('the store is not asked while a run is under way: the answer is wanted every second, all night', async () => {
  const { runs, asked } = runsOf([live], [live]);
  expect(await needsApp(runs, 10_000)).toBe(true);
  expect(asked).toEqual([]);
});

it('after a run’s end the newest runs tell: the next of its queue, or checkpoints in pods', async () => {
  const { runs, asked } = runsOf([], [queued, ended]);
  expect(await needsApp(runs, 10_000)).toBe(true);
  expect(asked).toEqual([10_000 - 3600]);
  expect(await needsApp(runsOf([], [ended]).runs, 10_000)).toBe(false);
  expect(await needsApp(runsOf([], [{ ...ended, unfetched: true }]).runs, 10_000)).toBe(true);
  // Runs of an app before, which this one has not taken over yet.
  expect(await needsApp(runsOf([], [live]).runs, 10_000)).toBe(true);
});
