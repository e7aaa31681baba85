import { describe, expect, it } from 'vitest';
import { runRecord } from './run.fixture.ts';
import { RunRecord } from './run.ts';
import { pauseOf, pauseUntil, tookOf } from './took.ts';

const hour = 3600;
const week = 7 * 24 * hour;
const ended = runRecord('r', { state: 'stopped', startedAt: 1000, endedAt: 1000 + hour });
/** Its next attempt, while it is prepared. */
const prepared = (run: RunRecord): RunRecord => ({
  ...run,
  ...{ state: 'preparing', endedAt: undefined, pause: pauseOf(run) },
});
const started = (run: RunRecord, now: number): RunRecord => ({
  ...run,
  ...{ state: 'running', pause: pauseUntil(run, now) },
});

describe('what a run took', () => {
  it('is unknown before its first start, and grows until its end', () => {
    expect(tookOf(runRecord('r', { state: 'preparing' }), 5000)).toBeUndefined();
    expect(tookOf(runRecord('r', { startedAt: 1000 }), 5000)).toBe(4000);
    expect(tookOf(ended, 1e9)).toBe(hour);
    expect(tookOf({ ...ended, endedAt: undefined }, 1e9)).toBe(0);
  });

  it('is that of its attempts, without the time between them', () => {
    const again = ended.endedAt! + week;
    const next = prepared(ended);
    expect(tookOf(next, again - 1)).toBe(hour);
    const second = started(next, again);
    expect(tookOf(second, again + 60)).toBe(hour + 60);
    const done: RunRecord = { ...second, state: 'finished', endedAt: again + hour };
    expect(tookOf(done, 1e12)).toBe(2 * hour);
    const third = started(prepared(done), again + 2 * week);
    expect(tookOf(third, again + 2 * week + 5)).toBe(2 * hour + 5);
    expect(RunRecord.parse(third).pause).toEqual({ seconds: week + 2 * week - hour });
  });

  it('leaves out an attempt whose preparation failed', () => {
    const failed: RunRecord = { ...prepared(ended), state: 'failed', endedAt: ended.endedAt! + week };
    expect(tookOf(failed, 1e12)).toBe(hour);
    const second = started(prepared(failed), failed.endedAt! + week);
    expect(tookOf(second, failed.endedAt! + week + 60)).toBe(hour + 60);
  });

  it('counts a restart by itself, in which the run has not ended', () => {
    const next = prepared({ ...ended, state: 'recovering', endedAt: undefined });
    expect(next.pause).toBeUndefined();
    expect(tookOf(started(next, 9000), 10_000)).toBe(9000);
  });

  it('begins no pause before the first start', () => {
    const failed = runRecord('r', { state: 'failed', endedAt: 500 });
    expect(pauseOf(failed)).toBeUndefined();
    expect(pauseUntil(failed, 600)).toBeUndefined();
  });
});
