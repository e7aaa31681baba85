import { describe, expect, it } from 'vitest';
import type { MetricLine } from '../../../shared/metrics/metrics.ts';
import { deciding, failureOf, failures, rankError, rankStateOf, verdict, type RankEnd } from './verdict.ts';

const line = (fields: Record<string, unknown>): MetricLine => ({
  v: 1,
  seq: 0,
  t: 0,
  kind: 'end',
  ...fields,
});
const end = (rank: number, change: Partial<RankEnd> = {}): RankEnd => ({
  rank,
  nodeName: `n${rank}`,
  how: 'exited',
  asked: false,
  lastWords: [],
  ...change,
});
const exited = (
  rank: number,
  code: number | null,
  change: Partial<RankEnd> = {},
  signal: number | null = null,
): RankEnd => end(rank, { exit: { code, signal, t: 0, outOfMemory: false }, ...change });
const done = (rank: number, epochs = 5): RankEnd =>
  exited(rank, 0, { endLine: line({ epochs_completed: epochs }) });
const run = { epochs: 5, epochsCompleted: 3, stopAsked: false };

describe('the verdict on a run', () => {
  it('is finished only if every rank is done and every epoch ran', () => {
    expect(verdict([done(0), done(1)], run)).toEqual({ state: 'finished', error: undefined });
    expect(verdict([done(0), done(1, 4)], run)).toMatchObject({
      state: 'failed',
      error: { params: { rank: 1 } },
    });
    expect(verdict([exited(0, 0), done(1)], run)).toMatchObject({
      state: 'failed',
      error: { code: 'rank_failed' },
    });
    expect(verdict([done(0), exited(1, 7)], run).state).toBe('stopped');
  });

  it('names the rank that failed first, not the ones that lost their peers', () => {
    const ends = [exited(0, 4), exited(2, 4), exited(1, null, {}, 9)];
    expect(verdict(ends, run)).toMatchObject({
      state: 'failed',
      error: { code: 'rank_killed', params: { rank: 1 } },
    });
    expect(verdict([exited(0, 4), exited(1, 4)], run)).toMatchObject({
      error: { code: 'peer_lost', params: { rank: 0 } },
    });
  });

  it('does not count failures without which enough processes went on', () => {
    const killed = exited(1, null, { isScript: true }, 9);
    const well = [exited(0, 0, { isScript: true }), exited(2, 0, { isScript: true })];
    expect(verdict(deciding([killed, ...well], 2), run)).toEqual({ state: 'finished', error: undefined });
    expect(verdict(deciding([killed, ...well], 3), run)).toMatchObject({
      state: 'failed',
      error: { code: 'rank_killed', params: { rank: 1 } },
    });
    const stopped = [0, 2].map((rank) => exited(rank, null, { asked: true, isScript: true }, 9));
    expect(verdict(deciding([killed, ...stopped], 2), { ...run, stopAsked: true }).state).toBe('stopped');
  });

  it('counts a failure of its own, also of a process that was asked to stop', () => {
    const diverged = exited(0, 5, { asked: true });
    const killed = exited(1, null, { asked: true }, 9);
    expect(failures([diverged, killed, exited(2, 4)]).map(({ rank }) => rank)).toEqual([0, 2]);
  });

  it('does not report our own actions as a cause', () => {
    const asked = exited(0, null, { asked: true }, 9);
    expect(verdict([asked, exited(1, 5)], run)).toMatchObject({
      error: { code: 'diverged', params: { rank: 1 } },
    });
    expect(verdict([asked, exited(1, 4)], { ...run, stopAsked: true }).state).toBe('stopped');
    expect(rankStateOf(asked)).toBe('stopped');
  });

  it('is interrupted if a node rebooted or all ranks vanished, with the epoch to resume from', () => {
    const rebooted = end(1, { how: 'rebooted' });
    expect(verdict([exited(0, 4), rebooted], run)).toEqual({
      state: 'interrupted',
      error: {
        code: 'run_interrupted',
        params: { reason: 'n1 was restarted', 'reason.zh-CN': 'n1 已重启', epoch: 3 },
        where: 'n1',
      },
    });
    const vanished = [0, 1].map((rank) => end(rank, { how: 'vanished' }));
    expect(verdict(vanished, run).state).toBe('interrupted');
    expect(verdict([vanished[0]!, exited(1, 4)], run)).toMatchObject({
      state: 'failed',
      error: { code: 'rank_lost' },
    });
    expect(verdict([done(0), end(1, { how: 'unstarted' })], run).state).toBe('interrupted');
  });

  it('is interrupted if a machine was shut down, which stopped all ranks or left the others behind', () => {
    const shutDown = exited(1, 7, { endLine: line({ shutdown: true, reason: 'stopped' }) });
    expect(verdict([exited(0, 7), shutDown], run)).toMatchObject({
      state: 'interrupted',
      error: { code: 'run_interrupted', where: 'n1', params: { epoch: 3 } },
    });
    expect(rankStateOf(shutDown)).toBe('stopped');
    expect(deciding([done(0), shutDown], 1)).toEqual([done(0)]);
    // The user's stop came first.
    const asked = { ...shutDown, asked: true };
    expect(verdict([exited(0, 7), asked], { ...run, stopAsked: true }).state).toBe('stopped');
    expect(rankError(asked, 3)).toBeUndefined();
  });

  it('is finished by the others where the user took a rank out', () => {
    const takenOut = exited(1, null, { asked: true, takenOut: true }, 9);
    expect(deciding([takenOut, done(0)], 1)).toEqual([done(0)]);
    expect(verdict(deciding([takenOut, done(0)], 1), run).state).toBe('finished');
    expect(rankError(takenOut, 3)).toBeUndefined();
  });

  it('is lost only if a node never returned', () => {
    expect(verdict([exited(0, 4), end(1, { how: 'lost' })], run)).toMatchObject({
      state: 'lost',
      error: { code: 'rank_lost' },
    });
    expect(verdict([exited(0, 5), end(1, { how: 'lost' })], run).state).toBe('failed');
  });
});

describe('a rank’s error', () => {
  it.each([
    [1, 'rank_failed'],
    [2, 'rank_failed'],
    [3, 'rank_failed'],
    [4, 'peer_lost'],
    [5, 'diverged'],
    [6, 'rank_out_of_memory'],
    [127, 'rank_failed'],
  ])('exit code %i is %s', (code, expected) => {
    expect(rankError(exited(0, code), 0)?.code).toBe(expected);
  });

  it('shows the trainer’s message and advice, else its last lines', () => {
    const errorLine = line({ kind: 'error', message: 'no folder x', hint: 'make it' });
    expect(rankError(exited(1, 3, { errorLine }), 0)?.params).toEqual({
      rank: 1,
      node: 'n1',
      code: 3,
      said: 'no folder x',
      advice: 'make it',
    });
    const said = rankError(exited(1, 1, { lastWords: ['one', 'two'] }), 0);
    expect(said).toMatchObject({ params: { said: 'two' }, detail: 'one\ntwo', where: 'n1' });
  });

  it('holds no step that a record cannot', () => {
    const errorLine = line({ kind: 'error', step: Infinity });
    const endLine = line({ kind: 'end', step: 7 });
    const error = rankError(exited(1, 5, { errorLine, endLine }), 0);
    expect(error).toMatchObject({ code: 'diverged', params: { rank: 1, step: 7 } });
  });

  it('is absent after a normal end, and out of memory if the kernel reported so', () => {
    expect(rankError(exited(0, 0), 0)).toBeUndefined();
    expect(rankError(exited(0, 7), 0)).toBeUndefined();
    expect(failureOf([exited(0, 7)], 0)).toBeUndefined();
    const killed = end(0, { exit: { code: null, signal: 9, t: 0, outOfMemory: true } });
    expect(rankError(killed, 0)?.code).toBe('rank_out_of_memory');
    // The signal that stops a script which does not handle it was the user's.
    const stopped = exited(0, null, { isScript: true, asked: true }, 15);
    expect(rankStateOf(stopped)).toBe('stopped');
    expect(rankError(stopped, 0)).toBeUndefined();
    expect(rankError({ ...killed, asked: true }, 0)?.code).toBe('rank_out_of_memory');
  });
});
