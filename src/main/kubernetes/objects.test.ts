import { describe, expect, it } from 'vitest';
import { podOf } from './objects.ts';

const pod = (phase: string, ...containerStatuses: object[]) =>
  podOf({ metadata: { name: 'p', uid: 'u' }, spec: {}, status: { phase, containerStatuses } });
const sidecar = (state: object): object => ({ name: 'istio-proxy', state });
const ranks = (state: object): object => ({ name: 'ranks', state });

describe('a pod beside whose ranks the namespace runs a container of its own', () => {
  it('runs while its ranks do, and has ended with them', () => {
    const running = sidecar({ running: {} });
    expect(pod('Running', running, ranks({ running: {} }))).toMatchObject({ runs: true, exit: undefined });
    const ended = ranks({ terminated: { exitCode: 4, reason: 'Error' } });
    expect(pod('Running', running, ended)).toMatchObject({ runs: false, exit: { code: 4, reason: 'Error' } });
  });
  it('goes on where the other container ends', () => {
    const ended = sidecar({ terminated: { exitCode: 1, reason: 'Error' } });
    expect(pod('Running', ended, ranks({ running: {} }))).toMatchObject({ runs: true, exit: undefined });
  });
  it('waits for what its ranks wait for', () => {
    const waiting = ranks({ waiting: { reason: 'ErrImagePull', message: 'not found' } });
    const before = sidecar({ waiting: { reason: 'PodInitializing' } });
    expect(pod('Pending', before, waiting)?.waits).toEqual({ reason: 'ErrImagePull', message: 'not found' });
    const unpulled = sidecar({ waiting: { reason: 'ErrImagePull', message: '' } });
    expect(pod('Pending', unpulled, ranks({ running: {} }))).toMatchObject({ runs: true, waits: undefined });
  });
});
