import { describe, expect, it } from 'vitest';
import type { SeenJob, SeenPod } from '../../../kubernetes/index.ts';
import type { Exit } from '../../record/launcher.ts';
import { podProcess } from './pod-process.ts';
import { jobState, rankSight, runJob, type PodAnswer, type RunObjects } from './pod-sight.ts';

const job = 'ringlab-run-1';
const process = podProcess(job);
const places = [0, 1].map((index) => ({ job, index }));
const pod = (index: number, change: Partial<SeenPod> = {}): SeenPod => ({
  name: `${job}-${index}-x`,
  uid: String(index),
  job,
  index,
  created: '2026-01-01T00:00:00Z',
  phase: 'Running',
  node: `machine-${index}`,
  isDeleting: false,
  graceSeconds: 0,
  runs: true,
  waits: undefined,
  exit: undefined,
  disrupted: undefined,
  ...change,
});
const waiting = (reason: string, message = ''): Partial<SeenPod> => ({
  ...{ phase: 'Pending', runs: false, node: undefined, waits: { reason, message } },
});
const jobIs = (change: Partial<SeenJob> = {}): SeenJob => ({
  ...{ name: job, uid: 'u', isSuspended: false, state: 'active', why: undefined },
  ...change,
});
const objects = (change: Partial<RunObjects> = {}): RunObjects => ({
  ...{ pods: [pod(0), pod(1)], jobs: [jobIs()], events: [] },
  ...change,
});
const answer = (seen: RunObjects, change: Partial<PodAnswer> = {}): PodAnswer => ({
  ...{ process, job, cluster: 'test', seen, places, overAt: undefined, now: 100_000, asked: false },
  ...change,
});
const ended = (code: number | null): Exit => ({ code, signal: null, t: 9, outOfMemory: false });
const reasonOf = (seen: RunObjects): string | undefined => runJob({ job, seen, places }).reason;

describe('why a job waits', () => {
  it('is the scheduler’s reason, the image’s, or what a volume lacks', () => {
    const message = '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.';
    const with2 = (change: Partial<SeenPod>, more: Partial<RunObjects> = {}) =>
      objects({ pods: [pod(0), pod(1, change)], ...more });
    expect(reasonOf(with2(waiting('Unschedulable', message)))).toBe(`Unschedulable: ${message}`);
    expect(reasonOf(with2(waiting('ErrImagePull', 'not found')))).toBe('ImagePull: ErrImagePull: not found');
    expect(reasonOf(with2(waiting('ContainerCreating')))).toBe('ContainerCreating');
    const events = [{ about: `${job}-1-x`, reason: 'FailedMount', message: 'no such claim' }];
    expect(reasonOf(with2(waiting('ContainerCreating'), { events }))).toBe('FailedMount: no such claim');
  });
  it('is the queue’s or the quota’s, where there are no pods', () => {
    expect(reasonOf(objects({ pods: [], jobs: [jobIs({ isSuspended: true })] }))).toBe('Suspended');
    expect(reasonOf(objects({ pods: [] }))).toBe('NoPods');
    const events = [{ about: job, reason: 'FailedCreate', message: 'exceeded quota' }];
    expect(reasonOf(objects({ pods: [], events }))).toBe('FailedCreate: exceeded quota');
  });
  it('is a pod that was taken away, until the one in its place runs', () => {
    const gone = pod(1, {
      phase: 'Failed',
      runs: false,
      disrupted: { reason: 'EvictionByEvictionAPI', message: 'm' },
    });
    const next = pod(1, { ...waiting('Pending'), name: 'next', created: '2026-01-01T00:01:00Z' });
    expect(reasonOf(objects({ pods: [pod(0), gone, next] }))).toBe('Restarting: EvictionByEvictionAPI: m');
    const runs = { ...next, ...pod(1), name: 'next', created: next.created };
    expect(runJob({ job, seen: objects({ pods: [pod(0), gone, runs] }), places })).toEqual({
      ...{ id: job, state: 'Running', waits: false, nodes: 'machine-0, machine-1' },
    });
  });
});

describe('a pod on a machine without power', () => {
  // As the cluster says it: its node is unreachable, and nobody reports that its container has ended.
  const disrupted = { reason: 'DeletionByTaintManager', message: 'deleting due to NoExecute taint' };
  const lost = pod(1, { isDeleting: true, graceSeconds: 120, disrupted });
  it('is started again, though it seems to run', () => {
    expect(runJob({ job, seen: objects({ pods: [pod(0), lost] }), places })).toMatchObject({
      ...{ state: 'Pending', waits: true },
      reason: 'Restarting: DeletionByTaintManager: deleting due to NoExecute taint',
    });
  });
  it('is no restart where the job was deleted, or where it still runs', () => {
    expect(reasonOf(objects({ jobs: [], pods: [pod(0), lost] }))).toBeUndefined();
    expect(reasonOf(objects({ pods: [pod(0), pod(1, { disrupted })] }))).toBeUndefined();
  });
});

describe('what a rank in a pod is doing', () => {
  const place = places[1];
  it('has ended well where it says so, and is alive while the job may start it again', () => {
    expect(rankSight(place, ended(0), answer(objects())).state).toBe('exited');
    expect(rankSight(place, ended(4), answer(objects())).state).toBe('alive');
    expect(rankSight(place, undefined, answer(objects()))).toMatchObject({
      state: 'alive',
      job: { waits: false },
    });
  });
  it('has failed where the job has: by itself, or taken away', () => {
    const failed = jobIs({ state: 'failed', why: { reason: 'PodFailurePolicy', message: '' } });
    const seen = objects({ jobs: [failed], pods: [pod(0), pod(1, { phase: 'Failed', runs: false })] });
    expect(rankSight(place, ended(1), answer(seen))).toMatchObject({ state: 'exited', exit: { code: 1 } });
    const disrupted = { reason: 'Evicted', message: 'The node was low on resource: memory.' };
    const evicted = objects({ jobs: [failed], pods: [pod(1, { phase: 'Failed', runs: false, disrupted })] });
    expect(rankSight(place, undefined, answer(evicted, { overAt: 0 }))).toMatchObject({
      state: 'revoked',
      fault: {
        code: 'pods_taken',
        params: { job, reason: expect.stringContaining('evicted') as unknown },
        where: 'test',
      },
    });
    // A pod that was replaced hours ago did not end the job; one whose successor has not begun did.
    const old = pod(1, { name: 'old', phase: 'Failed', runs: false, disrupted });
    const killedNow = { code: 137, reason: 'OOMKilled', message: '' };
    const fault = (now: Partial<SeenPod>) => {
      const successor = pod(1, { created: '2026-01-01T04:00:00Z', runs: false, ...now });
      return rankSight(
        place,
        undefined,
        answer(objects({ jobs: [failed], pods: [old, successor] }), { overAt: 0 }),
      );
    };
    expect(fault({ phase: 'Failed', exit: killedNow })).toMatchObject({ fault: { code: 'pods_ended' } });
    expect(fault(waiting('Unschedulable'))).toMatchObject({ fault: { code: 'pods_taken' } });
    // Its files may still be on their way.
    expect(rankSight(place, undefined, answer(evicted, { overAt: 99_000 })).state).toBe('alive');
    const killed = objects({
      jobs: [failed],
      pods: [pod(1, { phase: 'Failed', runs: false, exit: { code: 137, reason: 'OOMKilled' } })],
    });
    expect(rankSight(place, ended(null), answer(killed))).toMatchObject({
      fault: { params: { reason: expect.stringContaining('OOMKilled') as unknown } },
    });
  });
  it('of a deleted job was stopped by us, or taken away by somebody else', () => {
    const gone = objects({ jobs: [], pods: [] });
    expect(jobState(gone)).toBe('gone');
    expect(rankSight(place, ended(7), answer(gone, { asked: true, overAt: 0 })).state).toBe('exited');
    // Also where a pod was taken away before: what somebody ended does not start again by itself.
    const disrupted = { reason: 'Evicted', message: '' };
    const both = objects({ jobs: [], pods: [pod(1, { phase: 'Failed', runs: false, disrupted })] });
    expect(rankSight(place, ended(1), answer(both, { overAt: 0 }))).toMatchObject({
      fault: { code: 'pods_ended' },
    });
    expect(rankSight(place, ended(7), answer(gone, { overAt: 0 }))).toMatchObject({
      state: 'revoked',
      fault: { code: 'pods_ended', params: { reason: expect.stringContaining('deleted') as unknown } },
    });
    // While its pods still end, they save.
    expect(rankSight(place, undefined, answer(objects({ jobs: [] }), { asked: true })).state).toBe('alive');
  });
});
