import { describe, expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import type { Restart } from '../../../shared/run/recovery.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { causeOf } from './cause.ts';
import { userAttempt } from '../service/new-run.ts';
import { decide, withRestart } from './policy.ts';

const killed: Restart['error'] = {
  code: 'rank_killed',
  params: { rank: 1, node: 'N2', signal: 'SIGKILL' },
  where: 'N2',
};
const crashed: Restart['error'] = {
  code: 'rank_failed',
  params: { rank: 1, node: 'N2', code: 1 },
  where: 'N2',
};
const failure = (t: number, from: number, error = killed): Restart => ({
  attempt: 1,
  t,
  error,
  step: from + 3,
  from,
  seq: 9,
});
const run = (restarts: Restart[] = [], experiment = {}, more = {}): RunRecord => {
  const lab = emptyLab('lab', 'Lab');
  return runRecord('r', {
    lab: { ...lab, experiment: { ...lab.experiment, onLostRank: 'restart', ...experiment } },
    recovery: { restarts, ...more },
  });
};

describe('the recovery policy', () => {
  it('restarts a run whose rank was killed, the first time at once', () => {
    expect(decide(run(), failure(100, 0), undefined)).toEqual({ restart: true, tries: 0 });
  });

  it('stops after two identical failures of the trainer without a new checkpoint', () => {
    const before = run([failure(100, 10, crashed)]);
    expect(decide(before, failure(120, 10, crashed), undefined)).toEqual({ restart: false, why: 'repeated' });
    // Another failure, another node, or progress in between: not the same again.
    expect(decide(before, failure(120, 10), undefined)).toEqual({ restart: true, tries: 1 });
    expect(decide(before, failure(120, 10, { ...crashed, where: 'N3' }), undefined).restart).toBe(true);
    expect(decide(before, failure(120, 20, crashed), undefined)).toEqual({ restart: true, tries: 0 });
  });

  it('stops after five failures in a row without a new checkpoint, whatever they were', () => {
    const four = [100, 110, 120, 130].map((t) => failure(t, 10));
    expect(decide(run(four.slice(1)), failure(140, 10), undefined)).toEqual({ restart: true, tries: 3 });
    expect(decide(run(four), failure(140, 10), undefined)).toEqual({ restart: false, why: 'repeated' });
    expect(decide(run(four), failure(140, 11), undefined).restart).toBe(true);
  });

  it('stops at the limit of restarts within an hour, which the lab may set', () => {
    const three = [100, 200, 300].map((t) => failure(t, t));
    expect(decide(run(three, { restartsPerHour: 3 }), failure(400, 400), undefined)).toEqual({
      restart: false,
      why: 'tooOften',
    });
    expect(decide(run(three), failure(400, 400), undefined).restart).toBe(true);
    expect(decide(run(three, { restartsPerHour: 3 }), failure(3701, 400), undefined).restart).toBe(true);
  });

  it('does not count failures that a clock which was set back shows as later ones', () => {
    const tomorrow = Array.from({ length: 20 }, (_, index) => failure(90_000 + index, index));
    expect(decide(run(tomorrow), failure(5000, 30), undefined).restart).toBe(true);
  });

  it('counts from the user’s own resume', () => {
    const before = run([failure(100, 10, crashed)], {}, { resumedAt: 110 });
    expect(decide(before, failure(120, 10, crashed), undefined)).toEqual({ restart: true, tries: 0 });
  });

  it('counts from that resume also after the clock was set back', () => {
    const at = (t: number, attempt: number): Restart => ({ ...failure(t, t), attempt });
    let now = userAttempt(run([at(90_000, 1)], { restartsPerHour: 3 }), 90_010);
    for (const t of [100, 200, 300]) now = withRestart(now, at(t, now.attempt));
    expect(decide(now, at(400, now.attempt), undefined)).toEqual({ restart: false, why: 'tooOften' });
  });

  it('judges a script by its steps, since its checkpoints are not known', () => {
    const script = { source: { type: 'folder', path: '/s' }, file: 'train.py' };
    const at = (t: number, step: number): Restart => ({ ...failure(t, 0, crashed), step });
    expect(decide(run([at(100, 50)], { script }), at(120, 50), undefined).restart).toBe(false);
    expect(decide(run([at(100, 50)], { script }), at(120, 60), undefined).restart).toBe(true);
  });

  it('keeps a bounded history', () => {
    let now = run();
    for (let t = 0; t < 300; t += 1) now = withRestart(now, failure(t, t));
    expect(now.recovery?.restarts).toHaveLength(200);
    expect(now.recovery?.restarts.at(-1)?.t).toBe(299);
  });
});

describe('the cause of a failure', () => {
  const of = (error: Restart['error'], own?: string, isScript = false): string =>
    causeOf({ error, own }, isScript);
  it('that would last is not answered with a restart', () => {
    for (const code of [2, 3]) expect(of({ ...crashed, params: { code } })).toBe('lasting');
    for (const own of ['disk_full', 'bad_data', 'checkpoint_mismatch', 'diverged', 'peer_disagrees'])
      expect(of(crashed, own)).toBe('lasting');
    for (const code of [
      'diverged',
      'data_missing',
      'node_disk_full',
      'auth_failed',
      'node_nonsense',
    ] as const)
      expect(of({ code, params: {} })).toBe('lasting');
    expect(decide(run(), failure(100, 0, crashed), 'disk_full')).toEqual({ restart: false, why: 'cause' });
  });

  it('is from outside where a cluster took a pod away, and lasting where somebody deleted the job', () => {
    for (const isScript of [false, true]) {
      expect(of({ code: 'pods_taken', params: {} }, undefined, isScript)).toBe('outside');
      expect(of({ code: 'pods_ended', params: {} }, undefined, isScript)).toBe('lasting');
    }
  });

  it('may be a crash of the trainer, or come from outside', () => {
    expect(of({ ...killed, params: { signal: 'SIGSEGV' } })).toBe('own');
    expect(of(killed)).toBe('outside');
    expect(of({ code: 'rank_out_of_memory', params: {} })).toBe('own');
    for (const code of ['rank_lost', 'run_interrupted', 'peer_lost', 'link_down'] as const)
      expect(of({ code, params: {} })).toBe('outside');
    // A script's own numbers.
    expect(of({ ...crashed, params: { code: 2 } }, 'disk_full', true)).toBe('own');
  });
});
