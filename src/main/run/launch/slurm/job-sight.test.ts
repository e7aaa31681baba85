import { describe, expect, it } from 'vitest';
import { unseenMark } from '../../../../shared/lab/slurm-script.ts';
import { phrase } from '../../../i18n/index.ts';
import type { Exit } from '../../record/launcher.ts';
import type { SeenJob } from './controller.ts';
import { rankSight, type JobAnswer } from './job-sight.ts';
import { jobProcess } from './slurm-process.ts';

const process = jobProcess('12');
const seenAs = (state: string, reason = '', at = 1000): SeenJob => ({
  job: { id: '12', state, reason, start: undefined, nodes: 'node[1-2]' },
  at,
  silent: false,
});
const answer = (seen: SeenJob, change: Partial<JobAnswer> = {}): JobAnswer => ({
  ...{ process, seen, overAt: undefined, now: 2000, cluster: 'login', said: 'the last line' },
  ...{ requeues: false, copies: false, allEndedAt: 0, heardUntil: undefined },
  ...change,
});
const ended = (code: number | null, signal: number | null = null): Exit => ({
  code,
  signal,
  t: 9,
  outOfMemory: false,
});
const none = { startedAt: undefined, exit: undefined, endedAt: undefined };

describe('what a rank of a job is doing', () => {
  it('is alive, and waits, while the job is queued; without an answer of the controller it is alive', () => {
    expect(rankSight(none, answer(seenAs('PENDING', 'Resources')))).toMatchObject({
      state: 'alive',
      job: { id: '12', waits: true, reason: 'Resources' },
    });
    expect(rankSight(none, answer({ job: undefined, at: -Infinity, silent: true }))).toEqual({
      state: 'alive',
      process,
    });
    expect(rankSight(none, answer(seenAs('RUNNING')))).toMatchObject({
      state: 'alive',
      job: { waits: false },
    });
  });
  it('has ended well where it says so, whatever the controller says', () => {
    const exit = ended(0);
    expect(
      rankSight({ startedAt: 500, exit, endedAt: undefined }, answer(seenAs('RUNNING', '', -Infinity))),
    ).toEqual({
      state: 'exited',
      exit,
      process,
    });
  });
  it('otherwise waits for a newer answer, which tells a time limit from a stop', () => {
    const files = { startedAt: 500, exit: ended(7), endedAt: 1500 };
    expect(rankSight(files, answer(seenAs('RUNNING', '', 1400))).state).toBe('alive');
    expect(rankSight(files, answer(seenAs('RUNNING', '', 1600))).state).toBe('exited');
    expect(rankSight(files, answer(seenAs('COMPLETING', 'TimeLimit', 1600)))).toMatchObject({
      state: 'revoked',
      fault: { code: 'job_ended', params: { job: '12' }, where: 'login', detail: 'the last line' },
    });
    // A controller that is silent for a minute holds nothing up.
    expect(rankSight(files, answer(seenAs('RUNNING', '', 1400), { now: 70_000 })).state).toBe('exited');
  });
  it('a rank that lost its peers waits for what happened to the peer without an exit code', () => {
    const files = { startedAt: 500, exit: ended(4), endedAt: 1500 };
    expect(rankSight(files, answer(seenAs('RUNNING', '', 1600), { allEndedAt: undefined })).state).toBe(
      'alive',
    );
    expect(rankSight(files, answer(seenAs('NODE_FAIL', '', 1600), { allEndedAt: undefined })).state).toBe(
      'revoked',
    );
    expect(rankSight(files, answer(seenAs('RUNNING', '', 1600))).state).toBe('exited');
    // After the job's end the file may still come: until then nobody is blamed.
    const over = { allEndedAt: undefined, overAt: 1800 };
    expect(rankSight(files, answer(seenAs('FAILED', '', 1600), over)).state).toBe('alive');
    expect(rankSight(files, answer(seenAs('FAILED', '', 1600), { ...over, now: 20_000 })).state).toBe(
      'exited',
    );
    expect(rankSight(none, answer(seenAs('FAILED', '', 1600), { ...over, now: 20_000 })).state).toBe(
      'revoked',
    );
  });
  it.each([true, false])(
    'such a rank waits for as long as Slurm takes to call a node without power down, requeue: %s',
    (requeues) => {
      const files = { startedAt: 500, exit: ended(4), endedAt: 1500 };
      const after = (seconds: number, state: string, answered = seconds): string => {
        const now = 1500 + seconds * 1000;
        const seen = seenAs(state, '', 1500 + answered * 1000);
        return rankSight(files, answer(seen, { requeues, now, allEndedAt: undefined })).state;
      };
      expect([61, 400, 700].map((seconds) => after(seconds, 'RUNNING'))).toEqual(['alive', 'alive', 'alive']);
      expect(after(310, 'NODE_FAIL')).toBe('revoked');
      // A controller that is silent for a moment changes nothing; one that is silent for a minute holds nothing up.
      expect(after(310, 'RUNNING', 280)).toBe('alive');
      expect(after(310, 'RUNNING', 240)).toBe('exited');
      // Its peer hangs, and its node does not.
      expect(after(1000, 'RUNNING')).toBe('exited');
    },
  );
  it('of an own script one waits as long where a node is silent and the job may be requeued, whatever its exit code', () => {
    const after = (seconds: number, change: Partial<JobAnswer>, code: number | null = 1): string => {
      const files = { startedAt: 500, exit: ended(code), endedAt: 1500 };
      const now = 1500 + seconds * 1000;
      const given = { requeues: true, now, allEndedAt: undefined, heardUntil: 9000, ...change };
      return rankSight(files, answer(seenAs('RUNNING', '', now), given)).state;
    };
    expect([5, 61, 700].map((seconds) => after(seconds, {}))).toEqual(['alive', 'alive', 'alive']);
    expect(after(700, {}, null)).toBe('alive');
    expect(after(1000, {})).toBe('exited');
    // All nodes are up, all ranks have ended, or nothing starts the job again.
    expect(after(20, { heardUntil: 20_000 })).toBe('exited');
    expect(after(5, { allEndedAt: 0 })).toBe('exited');
    expect(after(5, { requeues: false })).toBe('exited');
    expect(after(5, { requeues: false }, 4)).toBe('exited');
  });
  it('a rank that stopped in a job that is requeued is alive until the job is over', () => {
    const files = { startedAt: 500, exit: ended(7), endedAt: 1500 };
    expect(rankSight(files, answer(seenAs('RUNNING', '', 1600), { requeues: true })).state).toBe('alive');
    expect(rankSight(files, answer(seenAs('COMPLETED', '', 1600), { requeues: true })).state).toBe('exited');
    // Slurm requeued it by itself: how its ranks ended no longer counts.
    const lost = { startedAt: 500, exit: ended(4), endedAt: 1500 };
    expect(rankSight(lost, answer(seenAs('PENDING', 'BeginTime', 1600), { requeues: true })).state).toBe(
      'alive',
    );
    expect(rankSight(lost, answer(seenAs('PENDING', 'BeginTime', 1600))).state).toBe('exited');
    // It may wait for longer than the reason of a failure is waited for.
    const later = { requeues: true, copies: false, now: 200_000 };
    expect(rankSight(lost, answer(seenAs('PENDING', 'BeginTime', 190_000), later)).state).toBe('alive');
  });
  it.each([7, 143])('such a rank waits for the others, which may save for longer: code %s', (code) => {
    const after = (seconds: number, allEndedAfter?: number): string => {
      const files = { startedAt: 500, exit: ended(code), endedAt: 1500 };
      const now = 1500 + seconds * 1000;
      const allEndedAt = allEndedAfter === undefined ? undefined : 1500 + allEndedAfter * 1000;
      return rankSight(files, answer(seenAs('RUNNING', '', now), { requeues: true, now, allEndedAt })).state;
    };
    expect([59, 61, 180].map((seconds) => after(seconds))).toEqual(['alive', 'alive', 'alive']);
    // The last has saved: the job is on its way back to the queue.
    expect(after(135, 90)).toBe('alive');
    expect(after(155, 90)).toBe('exited');
    // One that hangs does not hold the run up for ever.
    expect(after(1000)).toBe('exited');
  });
  it.each(['TIMEOUT', 'NODE_FAIL', 'PREEMPTED', 'CANCELLED', 'OUT_OF_MEMORY', 'FAILED'])(
    'without an exit code is taken away by the end of its job: %s, once its files had time to arrive',
    (state) => {
      expect(rankSight(none, answer(seenAs(state), { overAt: 1999 })).state).toBe('alive');
      expect(rankSight(none, answer(seenAs(state), { overAt: 1000, now: 20_000 }))).toMatchObject({
        state: 'revoked',
        fault: { code: 'job_ended' },
      });
    },
  );
  it('of a job that ended well has ended well, too: its exit code is waited for as long as NFS may hide it', () => {
    const over = { overAt: 1000, now: 60_000 };
    expect(rankSight(none, answer(seenAs('COMPLETED'), over)).state).toBe('alive');
    expect(rankSight(none, answer(seenAs('COMPLETED'), { ...over, now: 70_000 }))).toMatchObject({
      state: 'revoked',
      fault: { code: 'job_ended' },
    });
  });
  it('runs where its files say so before the controller was asked for the first time', () => {
    const unknown: SeenJob = { job: undefined, at: -Infinity, silent: false };
    expect(rankSight({ ...none, startedAt: 900 }, answer(unknown))).toEqual({
      state: 'alive',
      process,
      job: { id: '12', state: 'RUNNING', waits: false },
    });
  });
  it('a script that ended by the signal before the time limit is alive until its job is over', () => {
    const files = { startedAt: 500, exit: ended(null, 15), endedAt: 1500 };
    expect(rankSight(files, answer(seenAs('RUNNING', '', 1600), { requeues: true })).state).toBe('alive');
    expect(rankSight(files, answer(seenAs('RUNNING', '', 1600))).state).toBe('exited');
  });
  it('says which node does not share the run’s folder, or that none seems to', () => {
    const reasonOf = (said: string | undefined): unknown => {
      const sight = rankSight(none, answer(seenAs('FAILED'), { overAt: 1000, now: 20_000, said }));
      return sight.state === 'revoked' ? sight.fault.params.reason : undefined;
    };
    expect(reasonOf(`${unseenMark} node2 /home/a/run\nsrun: error`)).toEqual(
      phrase('reasons.job.notSharedOn', { node: 'node2', folder: '/home/a/run' }).en,
    );
    expect(reasonOf(undefined)).toEqual(phrase('reasons.job.notShared').en);
    expect(reasonOf('it ended')).toEqual(phrase('reasons.job.noRanks', { state: 'FAILED' }).en);
  });
  it('has vanished where nobody knows the job any more', () => {
    expect(rankSight(none, answer({ job: 'gone', at: 1, silent: false })).state).toBe('vanished');
  });
});
