import type { PodSpec } from 'kubernetes-types/core/v1';
import { describe, expect, it } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import { createSkippingClock } from '../base/testing/skipping-clock.ts';
import { createAccessPod } from './access.ts';
import type { ApiRequest, KubernetesApi } from './contract.ts';

const unlimited = new RinglabError('pods_refused', {
  ...{ cluster: 'team', namespace: 'lab', reason: 'failed quota: q: must specify limits.cpu for: ranks' },
});

const outOfRange = new RinglabError('pods_refused', {
  ...{ cluster: 'team', namespace: 'lab' },
  reason: 'pods "access" is forbidden: unable to validate against any security context constraint: []',
});

/** A namespace with one pod at most, of which the test says how it is. */
function bench() {
  let pod: object | undefined;
  let wantsLimits = false;
  let givesUsers = false;
  const asked: string[] = [];
  const deletions: unknown[] = [];
  const status = (phase: string, state: object, metadata: object = {}): object => ({
    metadata: { name: 'access', uid: 'u', ...metadata },
    spec: { nodeName: 'machine-1' },
    status: { phase, containerStatuses: [{ name: 'ranks', state }] },
  });
  const states = {
    running: status('Running', { running: {} }),
    pulling: status('Pending', { waiting: { reason: 'ContainerCreating' } }),
    unplaced: {
      metadata: { name: 'access', uid: 'u' },
      spec: {},
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/1 nodes are available',
          },
        ],
      },
    },
    slow: status('Pending', { waiting: { reason: 'ErrImagePull', message: 'unexpected status 429' } }),
    unpulled: status('Pending', { waiting: { reason: 'ImagePullBackOff', message: 'not found' } }),
    /** Its machine is lost: nothing ends it. */
    stuck: status(
      'Running',
      { running: {} },
      { deletionTimestamp: '2026-01-01T00:00:05Z', deletionGracePeriodSeconds: 5 },
    ),
    /** Its idle time is over, but a container that the namespace adds goes on. */
    kept: {
      metadata: { name: 'access', uid: 'u' },
      spec: { nodeName: 'machine-1' },
      status: {
        phase: 'Running',
        containerStatuses: [
          { name: 'istio-proxy', state: { running: {} } },
          { name: 'ranks', state: { terminated: { exitCode: 0 } } },
        ],
      },
    },
    over: status('Succeeded', { terminated: { exitCode: 0 } }),
  };
  /** States after its creation, one a look. */
  let coming: (keyof typeof states)[] = ['running'];
  const api: KubernetesApi = {
    name: () => Promise.resolve('team'),
    namespace: () => Promise.resolve('lab'),
    request({ method, path, body }: ApiRequest) {
      if (path.endsWith('/events')) return Promise.resolve({ status: 200, body: { items: [] } });
      asked.push(method);
      if (method === 'DELETE') deletions.push(body);
      // The access pod as it is created.
      const spec = (body as { spec?: PodSpec } | undefined)?.spec;
      const limits = spec?.containers[0]?.resources?.limits;
      if (method === 'POST' && givesUsers && spec?.securityContext?.runAsUser !== undefined)
        return Promise.reject(outOfRange);
      if (method === 'POST' && wantsLimits && limits?.cpu === undefined) return Promise.reject(unlimited);
      if (method === 'POST') pod = states[coming.shift() ?? 'running'];
      if (method === 'DELETE') pod = undefined;
      const answer = { status: pod === undefined ? 404 : 200, body: pod };
      if (method === 'GET' && pod !== undefined && coming.length > 0)
        pod = states[coming.shift() ?? 'running'];
      return Promise.resolve(answer);
    },
    lines: () => Promise.reject(new RangeError('not watched')),
    exec: () => Promise.reject(new RangeError('nothing runs')),
  };
  const clock = createSkippingClock();
  const target = { type: 'kubernetes', image: 'registry.example/any:1', claim: 'shared' } as const;
  return {
    asked,
    deletions,
    wantsLimits: () => (wantsLimits = true),
    /** OpenShift: users are the namespace's. */
    givesUsers: () => (givesUsers = true),
    ticks: clock.ticks,
    access: createAccessPod({ api, target, name: 'access', clock }),
    comes: (...next: (keyof typeof states)[]) => (coming = next),
    is: (now: keyof typeof states) => (pod = states[now]),
    after: clock.skip,
  };
}

describe('the access pod', () => {
  it('is created once for all callers, and believed to run for a while', async () => {
    const { access, asked, comes, after } = bench();
    comes('pulling', 'pulling', 'running');
    expect(await Promise.all([access.ensure(), access.ensure()])).toEqual(['access', 'access']);
    expect(asked.filter((method) => method === 'POST')).toHaveLength(1);
    const before = asked.length;
    await access.ensure();
    expect(asked).toHaveLength(before);
    access.doubt();
    await access.ensure();
    after(60_000);
    await access.ensure();
    expect(asked).toHaveLength(before + 2);
  });

  it('that has ended is replaced, though another container in it goes on', async () => {
    for (const how of ['over', 'kept'] as const) {
      const { access, asked, comes, is } = bench();
      comes();
      is(how);
      await access.ensure();
      expect(asked).toEqual(['GET', 'DELETE', 'GET', 'POST', 'GET']);
    }
  });

  it('whose machine is lost is deleted by force once its time to end is over, and replaced', async () => {
    const { access, asked, deletions, comes, is, ticks } = bench();
    comes();
    is('stuck');
    await access.ensure();
    expect(deletions).toEqual([
      expect.objectContaining({ gracePeriodSeconds: 0, preconditions: { uid: 'u' } }),
    ]);
    expect(asked.slice(-4)).toEqual(['DELETE', 'GET', 'POST', 'GET']);
    expect(ticks()).toBeGreaterThan(35_000);
    expect(ticks()).toBeLessThan(60_000);
  });

  it('whose image cannot be pulled is said, and deleted: a corrected one starts anew', async () => {
    const { access, asked, comes } = bench();
    comes('unpulled');
    await expect(access.ensure()).rejects.toMatchObject({
      code: 'pod_unready',
      params: { reason: 'ImagePullBackOff: not found', image: 'registry.example/any:1' },
      where: 'team',
    });
    expect(asked.at(-1)).toBe('DELETE');
  });

  it('waits for a registry that fails for a moment, and for two minutes at most', async () => {
    const { access, asked, comes } = bench();
    comes('slow', 'slow', 'pulling', 'running');
    expect(await access.ensure()).toBe('access');
    expect(asked).not.toContain('DELETE');
    const never = bench();
    never.comes();
    never.is('slow');
    await expect(never.access.ensure()).rejects.toMatchObject({
      params: { reason: 'ErrImagePull: unexpected status 429' },
    });
    expect(never.asked.at(-1)).toBe('DELETE');
    expect(never.ticks()).toBeGreaterThanOrEqual(120_000);
    expect(never.ticks()).toBeLessThan(125_000);
  });

  it('that does not start within its time is said', async () => {
    const { access, comes, is } = bench();
    comes();
    is('pulling');
    await expect(access.ensure()).rejects.toMatchObject({
      code: 'pod_unready',
      params: { reason: 'ContainerCreating' },
    });
  });

  it('waits with the scheduler’s reason for a machine that its cluster starts', async () => {
    const { access, comes, is, after } = bench();
    comes();
    is('unplaced');
    const said: string[] = [];
    const waits = (why: string): void => {
      said.push(why);
      // After nine minutes there is one, whose image takes three.
      after(540_000);
      is('pulling');
    };
    const started = access.ensure(undefined, waits);
    await expect(started).rejects.toMatchObject({ params: { reason: 'ContainerCreating' } });
    expect(said).toEqual(['Unschedulable: 0/1 nodes are available']);

    const other = bench();
    other.comes();
    other.is('unplaced');
    await expect(
      other.access.ensure(undefined, () => {
        other.after(540_000);
        other.is('running');
      }),
    ).resolves.toBe('access');
    const never = bench();
    never.comes();
    never.is('unplaced');
    await expect(never.access.ensure()).rejects.toMatchObject({
      params: { reason: 'Unschedulable: 0/1 nodes are available' },
    });
    expect(never.ticks()).toBeLessThan(700_000);
  });

  it('has a limit of processors where the namespace wants one', async () => {
    const { access, asked, wantsLimits } = bench();
    wantsLimits();
    expect(await access.ensure()).toBe('access');
    expect(asked).toEqual(['GET', 'POST', 'POST', 'GET']);
  });

  it('has no user of its own where the namespace gives it one', async () => {
    const { access, asked, wantsLimits, givesUsers } = bench();
    givesUsers();
    wantsLimits();
    expect(await access.ensure()).toBe('access');
    expect(asked).toEqual(['GET', 'POST', 'POST', 'POST', 'GET']);
  });

  it('is deleted at the end where it was used, and only there', async () => {
    const { access, asked } = bench();
    await access.remove(AbortSignal.timeout(1000));
    expect(asked).toEqual([]);
    const used = bench();
    await used.access.ensure();
    await used.access.remove(AbortSignal.timeout(1000));
    expect(used.asked.at(-1)).toBe('DELETE');
  });
});
