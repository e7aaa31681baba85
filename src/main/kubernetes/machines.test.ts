import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSkippingClock } from '../base/testing/skipping-clock.ts';
import type { Job } from 'kubernetes-types/batch/v1';
import type { PodSpec } from 'kubernetes-types/core/v1';
import type { JobSet } from '../../shared/lab/job-set.ts';
import type { KubernetesTarget } from '../../shared/lab/kubernetes.ts';
import { RinglabError } from '../../shared/base/errors.ts';
import { defaultPlacement, emptyLab } from '../../shared/lab/lab.ts';
import type { ApiRequest, KubernetesApi } from './contract.ts';
import { createMachines } from './machines.ts';

type Pod = Record<'metadata' | 'spec' | 'status', object>;

/**
 * A namespace in which jobs get their pods at once, in the state that the test says.
 * @param jobSets whether the cluster has them, and whether the account may use them
 * @param queue Kueue's, which admits the lab
 */
function bench(
  nodes = ['a', 'b', 'c'],
  memoryGb = [1, 1, 2],
  jobSets: { readonly there: boolean; readonly allowed?: boolean } = { there: false },
  queue?: string,
) {
  const jobs = new Map<string, Pick<Job, 'spec'>>();
  const sets = new Map<string, string[]>();
  const pods = new Map<string, Pod>();
  const asked: string[] = [];
  /** In dry runs. */
  const tried: string[] = [];
  let quota = Infinity;
  const forced: unknown[] = [];
  const deletion = { deletionTimestamp: '2026-01-01T00:02:00Z', deletionGracePeriodSeconds: 120 };
  let status: object = { phase: 'Running', containerStatuses: [{ name: 'ranks', state: { running: {} } }] };
  let fault: RinglabError | undefined;
  let outage: { readonly from: number; readonly to: number } | undefined;
  let isLost = false;
  let conflicts = 0;
  let wantsLimits = false;
  let givesUsers = false;
  const podOf = (job: string, index: number): Pod => ({
    metadata: {
      name: `${job}-${index}-x`,
      uid: `${job}-${index}`,
      labels: {
        'batch.kubernetes.io/job-name': job,
        'batch.kubernetes.io/job-completion-index': String(index),
      },
    },
    spec: { nodeName: 'machine-1' },
    status,
  });
  const reply = ({ method, path, query, body }: ApiRequest): unknown => {
    if (query?.dryRun !== undefined) {
      const kind = path.slice(path.lastIndexOf('/') + 1);
      tried.push(kind);
      // What a dry run tries.
      const pod = body as { spec: PodSpec };
      const users = kind === 'pods' ? pod.spec.securityContext : undefined;
      const ids = [users?.runAsUser, users?.runAsGroup, users?.fsGroup];
      if (givesUsers && ids.some((id) => id !== undefined)) return outOfRange;
      if (kind === 'pods' && wantsLimits && pod.spec.containers[0]?.resources?.limits?.cpu === undefined)
        return unlimited;
      return kind === 'pods' && pods.size >= quota ? refused : {};
    }
    if (path.endsWith('/v1alpha2')) return {};
    if (path.endsWith('/selfsubjectaccessreviews')) return { status: { allowed: jobSets.allowed !== false } };
    if (method !== 'GET') asked.push(`${method} ${path.replace(/^.*namespaces\/team\//, '')}`);
    const begin = (name: string, job: Pick<Job, 'spec'>): void => {
      jobs.set(name, job);
      for (let index = 0; index < (job.spec?.completions ?? 0); index += 1)
        pods.set(`${name}-${index}`, podOf(name, index));
    };
    const end = (name: string): void => {
      for (const job of sets.get(name) ?? []) end(job);
      const count = jobs.get(name)?.spec?.completions ?? 0;
      for (let index = 0; index < count; index += 1) {
        const key = `${name}-${index}`;
        const pod = pods.get(key);
        if (pod === undefined || !isLost) pods.delete(key);
        else pods.set(key, { ...pod, metadata: { ...pod.metadata, ...deletion } });
      }
      jobs.delete(name);
      sets.delete(name);
    };
    if (method === 'POST') {
      // What `machineObjects` made.
      const one = body as Job | JobSet;
      const name = one.metadata?.name ?? '';
      if (one.kind === 'JobSet') {
        const made = one.spec.replicatedJobs.map(({ name: job }) => `${name}-${job}-0`);
        sets.set(name, made);
        for (const [at, { template }] of one.spec.replicatedJobs.entries()) begin(made[at] ?? '', template);
      } else begin(name, one);
    }
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (method === 'DELETE' && path.includes('/pods/')) {
      forced.push(body);
      pods.delete(name.replace(/-x$/, ''));
    } else if (method === 'DELETE') end(name);
    return { metadata: { resourceVersion: '1' }, items: [...pods.values()] };
  };
  const api: KubernetesApi = {
    name: () => Promise.resolve('test'),
    namespace: () => Promise.resolve('team'),
    request(what) {
      if (what.signal?.aborted === true) return Promise.reject(new RinglabError('cancelled'));
      if (clock.ticks() > 24 * 3_600_000) return Promise.reject(new RangeError('waits for ever'));
      const failed = fault;
      fault = undefined;
      if (failed !== undefined) return Promise.reject(failed);
      if (outage !== undefined && clock.ticks() >= outage.from && clock.ticks() < outage.to)
        return Promise.reject(away);
      const status = what.path.includes('jobset.x-k8s.io') && !jobSets.there ? 404 : 200;
      const creates =
        what.method === 'POST' && what.path.endsWith('/jobs') && what.query?.dryRun === undefined;
      if (creates && conflicts > 0) {
        conflicts -= 1;
        return Promise.resolve({ status: 409, body: { reason: 'Conflict' } });
      }
      const body = status === 404 ? {} : reply(what);
      return body instanceof RinglabError ? Promise.reject(body) : Promise.resolve({ status, body });
    },
    lines: () => Promise.reject(new RangeError('not watched')),
    exec: () => Promise.reject(new RangeError('nothing runs')),
  };
  const clock = createSkippingClock();
  const lab = emptyLab('lab', 'Lab');
  lab.nodes = nodes.map((id, index) => ({
    id,
    name: id,
    kind: 'cpu',
    position: { x: 0, y: 0 },
    placement: { ...defaultPlacement('cpu'), memoryGb: memoryGb[index] ?? 1 },
    access: { type: 'local' },
  }));
  const target: KubernetesTarget = {
    ...{ type: 'kubernetes', image: 'registry.example/any:1' },
    ...(queue === undefined ? {} : { queue }),
  };
  lab.experiment.where = target;
  return {
    asked,
    tried,
    /** The namespace's quota of pods. */
    allows: (count: number) => (quota = count),
    jobs,
    /** A quota on `limits.cpu`. */
    wantsLimits: () => (wantsLimits = true),
    /** OpenShift: users and groups are the namespace's. */
    givesUsers: () => (givesUsers = true),
    /** The next creations of a job find a quota that is being counted. */
    contends: (times: number) => (conflicts = times),
    pods,
    machines: createMachines({ api, target, lab, owner: 'me', clock }),
    of: (owner: string) => createMachines({ api, target, lab, owner, clock }).name,
    are: (now: object) => (status = now),
    /** Pods that are deleted stay: nothing on their machine ends them. */
    loses: () => (isLost = true),
    forced,
    ticks: clock.ticks,
    /** The next request is answered so. */
    fails: (error: RinglabError) => (fault = error),
    /** No request is answered from then, in milliseconds of the clock, and for so long. */
    isAway: (from: number, lasts: number) => (outage = { from, to: from + lasts }),
    after: clock.skip,
  };
}
const signal = new AbortController().signal;
const refused = new RinglabError('pods_refused', {
  ...{ cluster: 'test', namespace: 'team', reason: 'exceeded quota' },
});
const unlimited = new RinglabError('pods_refused', {
  ...{ cluster: 'test', namespace: 'team', reason: 'failed quota: q: must specify limits.cpu for: ranks' },
});
const outOfRange = new RinglabError('pods_refused', {
  ...{ cluster: 'test', namespace: 'team' },
  reason:
    'pods "x" is forbidden: unable to validate against any security context constraint: [provider restricted-v2: .spec.securityContext.fsGroup: Invalid value: []int64{1000}: 1000 is not an allowed group, provider "anyuid": Forbidden: not usable by user or serviceaccount]',
});
const away = new RinglabError('cluster_unreachable', { cluster: 'test', reason: 'HTTP 503' });

describe('pods that are machines of their own', () => {
  it('are created once for all nodes, a job for those that are alike, and are there the next time', async () => {
    const { machines, asked } = bench();
    const { name } = machines;
    expect(await Promise.all([machines.raise(signal), machines.raise(signal)])).toEqual([true, true]);
    expect(asked.filter((what) => what.startsWith('POST'))).toEqual(['POST jobs', 'POST jobs']);
    expect([await machines.pod('b'), await machines.pod('c')]).toEqual([`${name}-1-x`, `${name}-1-0-x`]);
    expect(await machines.raise(signal)).toBe(false);
    expect(asked.filter((what) => what.startsWith('POST'))).toHaveLength(2);
  });
  it('are one JobSet where they differ, a queue admits them and the cluster has that, and all go with it', async () => {
    const { machines, asked, pods } = bench(undefined, undefined, { there: true }, 'gpus');
    const { name } = machines;
    await machines.raise(signal);
    expect(asked.filter((what) => what.startsWith('POST'))).toEqual(['POST jobsets']);
    expect([await machines.pod('b'), await machines.pod('c')]).toEqual([
      `${name}-0-0-1-x`,
      `${name}-1-0-0-x`,
    ]);
    expect(await machines.raise(signal)).toBe(false);
    asked.length = 0;
    await machines.remove();
    expect(asked[0]).toBe(`DELETE jobsets/${name}`);
    expect(pods.size).toBe(0);
  });
  it('are jobs where they are alike, where the account may not create a JobSet, or without a queue', async () => {
    for (const { machines, asked } of [
      bench(['a', 'b'], [1, 1], { there: true }, 'gpus'),
      bench(undefined, undefined, { there: true, allowed: false }, 'gpus'),
      // A JobSet would end all of them with one that is lost.
      bench(undefined, undefined, { there: true }),
    ]) {
      await machines.raise(signal);
      expect(asked).not.toContain('POST jobsets');
      expect(asked).toContain('POST jobs');
    }
  });
  it('have another name for another app, and a node that is drawn larger', () => {
    const { machines, of } = bench();
    expect(of('me')).toBe(machines.name);
    expect(of('you')).not.toBe(machines.name);
    expect(bench(['a', 'b', 'c'], [1, 1, 1]).machines.name).not.toBe(machines.name);
    expect(machines.name).toMatch(/^ringlab-nodes-[0-9a-f]{10}$/);
  });
  it('all begin anew where one has ended', async () => {
    const { machines, pods } = bench();
    await machines.raise(signal);
    pods.delete(`${machines.name}-1`);
    expect(await machines.raise(signal)).toBe(true);
    expect(pods.size).toBe(3);
  });
  it('stay where it could not be seen whether they run: others may train in them', async () => {
    const { machines, pods, asked, fails } = bench();
    await machines.raise(signal);
    asked.length = 0;
    fails(away);
    await expect(machines.raise(signal)).rejects.toMatchObject({ code: 'cluster_unreachable' });
    await expect(machines.raise(AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
    await setImmediate();
    expect(await machines.raise(signal)).toBe(false);
    expect([asked, pods.size]).toEqual([[], 3]);
  });
  it('of a lost machine are said, deleted by force once their time to end is over, and replaced', async () => {
    const { machines, pods, loses, forced, ticks } = bench(['a'], [1]);
    const { name } = machines;
    await machines.raise(signal);
    pods.set(`${name}-0`, { metadata: {}, spec: {}, ...pods.get(`${name}-0`), status: { phase: 'Unknown' } });
    loses();
    const said: string[] = [];
    expect(await machines.raise(signal, (why) => said.push(why))).toBe(true);
    expect(said).toEqual([`Terminating: ${name}-0-x (machine-1)`]);
    const precise = { gracePeriodSeconds: 0, preconditions: { uid: `${name}-0` } };
    expect(forced).toEqual([expect.objectContaining(precise)]);
    expect(ticks()).toBeGreaterThan(150_000);
    expect(ticks()).toBeLessThan(180_000);
  });
  it('that cannot start are said, and none is left', async () => {
    const { machines, pods, are } = bench();
    const waiting = { reason: 'ErrImagePull', message: 'not found' };
    are({ phase: 'Pending', containerStatuses: [{ name: 'ranks', state: { waiting } }] });
    await expect(machines.raise(signal)).rejects.toMatchObject({
      code: 'pod_unready',
      params: { reason: 'ErrImagePull: not found' },
    });
    expect(pods.size).toBe(0);
  });
  it('wait where the registry fails for a moment, and are given up with its words after two minutes', async () => {
    const message = 'net/http: TLS handshake timeout';
    const pulls = (reason: string, said: string) => ({
      phase: 'Pending',
      containerStatuses: [{ name: 'ranks', state: { waiting: { reason, message: said } } }],
    });
    const { machines, pods, are, ticks } = bench(['a', 'b', 'c'], [1, 1, 1]);
    are(pulls('ErrImagePull', message));
    const said: string[] = [];
    const raised = machines.raise(signal, (why) => {
      said.push(why);
      // The kubelet's next try.
      for (const [key, one] of pods)
        pods.set(key, {
          ...one,
          status: { phase: 'Running', containerStatuses: [{ name: 'ranks', state: { running: {} } }] },
        });
    });
    expect(await raised).toBe(true);
    expect([said, pods.size]).toEqual([[`ErrImagePull: ${message}`], 3]);

    const never = bench();
    never.are(pulls('ErrImagePull', message));
    const given = never.machines.raise(signal, () => {
      // As kubelets up to 1.31 say it: without the reason.
      for (const [key, one] of never.pods)
        never.pods.set(key, { ...one, status: pulls('ImagePullBackOff', 'Back-off pulling image "i"') });
    });
    await expect(given).rejects.toMatchObject({ params: { reason: `ErrImagePull: ${message}` } });
    expect(never.ticks()).toBeGreaterThanOrEqual(120_000);
    expect(never.ticks()).toBeLessThan(125_000);
    expect([never.pods.size, ticks() < 5000]).toEqual([0, true]);
  });
  it.each([
    ['InvalidImageName', 'couldn’t parse image name'],
    ['ErrImageNeverPull', 'is not present with pull policy of Never'],
    ['ErrImagePull', 'manifest unknown'],
    ['ErrImagePull', '401 Unauthorized'],
    ['ImagePullBackOff', 'pull access denied'],
    ['ErrImagePull', 'invalid reference format'],
  ])('are given up at once where waiting does not help: %s, %s', async (reason, message) => {
    const { machines, are, ticks } = bench();
    are({
      phase: 'Pending',
      containerStatuses: [{ name: 'ranks', state: { waiting: { reason, message } } }],
    });
    await expect(machines.raise(signal)).rejects.toMatchObject({
      params: { reason: `${reason}: ${message}` },
    });
    expect(ticks()).toBeLessThan(5000);
  });
  it('say what they wait for, and are given up after a while', async () => {
    const { machines, pods, are } = bench();
    const message = '0/3 nodes are available';
    are({
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    });
    const said: string[] = [];
    await expect(machines.raise(signal, (why) => said.push(why))).rejects.toMatchObject({
      code: 'pod_unready',
      params: { reason: `Unschedulable: ${message}` },
    });
    expect(said).toEqual([`Unschedulable: ${message}`]);
    expect(pods.size).toBe(0);
  });
  it('are tried with the namespace’s quotas before any is created: one that refuses them would leave none to wait for', async () => {
    const { machines, asked, allows, tried } = bench();
    allows(0);
    await expect(machines.raise(signal)).rejects.toBe(refused);
    expect(asked.filter((what) => what.startsWith('POST'))).toEqual([]);
    // Room for exactly these.
    allows(3);
    expect(await machines.raise(signal)).toBe(true);
    expect(tried).toEqual(['jobs', 'pods', 'jobs', 'pods', 'jobs', 'pods']);
    expect(await machines.raise(signal)).toBe(false);
    expect(tried).toHaveLength(6);
  });
  it('are limited to the processors that they ask for where the namespace wants a limit, and only there', async () => {
    for (const isWanted of [true, false]) {
      const { machines, jobs, wantsLimits, pods } = bench();
      const limits = (): unknown[] =>
        [...jobs.values()].map(({ spec }) => spec?.template.spec?.containers[0]?.resources?.limits?.cpu);
      if (isWanted) wantsLimits();
      const said: string[] = [];
      await machines.raise(signal, (why) => said.push(why));
      const cpu = isWanted ? String(defaultPlacement('cpu').cpus) : undefined;
      expect([limits(), said]).toEqual([[cpu, cpu], isWanted ? [unlimited.params.reason] : []]);
      // Others were there before: they are not tried with the quota.
      pods.delete(`${machines.name}-1`);
      await machines.raise(signal);
      expect(limits()).toEqual([cpu, cpu]);
    }
  });
  it('have no user and groups of their own where the namespace gives them, with limits of processors or without', async () => {
    for (const limits of [true, false]) {
      const { machines, jobs, wantsLimits, givesUsers, pods } = bench();
      const made = () => [...jobs.values()].map(({ spec }) => spec?.template.spec);
      givesUsers();
      if (limits) wantsLimits();
      const said: string[] = [];
      await machines.raise(signal, (why) => said.push(why));
      const cpu = limits ? String(defaultPlacement('cpu').cpus) : undefined;
      const wanted = {
        securityContext: {
          ...{ runAsNonRoot: true, fsGroupChangePolicy: 'OnRootMismatch' },
          seccompProfile: { type: 'RuntimeDefault' },
        },
        cpu,
      };
      const seen = () =>
        made().map((spec) => ({
          securityContext: spec?.securityContext,
          cpu: spec?.containers[0]?.resources?.limits?.cpu,
        }));
      expect(seen()).toEqual([wanted, wanted]);
      expect(said).toEqual([outOfRange.params.reason, ...(limits ? [unlimited.params.reason] : [])]);
      pods.delete(`${machines.name}-1`);
      await machines.raise(signal);
      expect(seen()).toEqual([wanted, wanted]);
    }
    const { machines, jobs } = bench();
    await machines.raise(signal);
    expect([...jobs.values()][0]?.spec?.template.spec?.securityContext).toMatchObject({
      ...{ runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 },
    });
  });
  it('are created again where a quota is being counted: they were waited for in vain', async () => {
    const { machines, contends, pods, ticks } = bench();
    contends(2);
    expect(await machines.raise(signal)).toBe(true);
    expect(pods.size).toBe(3);
    expect(ticks()).toBeLessThan(60_000);
  });
  it('go on waiting where the API does not answer for a moment: they would lose their place', async () => {
    const { machines, pods, asked, are, isAway, ticks } = bench();
    are({ phase: 'Pending' });
    isAway(150_000, 60_000);
    await expect(machines.raise(signal)).rejects.toMatchObject({ code: 'pod_unready' });
    // They had all of their time.
    expect(ticks()).toBeGreaterThan(1_200_000);
    expect(asked.filter((what) => what.startsWith('POST'))).toHaveLength(2);
    expect(pods.size).toBe(0);
  });
  it('are given up with the reason where the API does not answer for minutes', async () => {
    const { machines, are, isAway, ticks } = bench();
    are({ phase: 'Pending' });
    isAway(150_000, 24 * 3_600_000);
    await expect(machines.raise(signal)).rejects.toBe(away);
    expect(ticks()).toBeLessThan(300_000);
  });
  it('that were evicted are recognised by the reason that the cluster gives', async () => {
    const { machines, pods, after } = bench();
    await machines.raise(signal);
    await machines.pod('a');
    const key = `${machines.name}-0`;
    const status = { phase: 'Failed', reason: 'Evicted', message: 'low memory' };
    pods.set(key, { metadata: {}, spec: {}, ...pods.get(key), status });
    // It is not asked for at each command.
    expect(await machines.pod('a')).toBe(`${key}-x`);
    after(60_000);
    await expect(machines.pod('a')).rejects.toThrow(/low memory/);
    await machines.remove();
    expect(pods.size).toBe(0);
    await expect(machines.pod('b')).rejects.toMatchObject({ code: 'pods_ended' });
  });
  it('that are drained are recognised by the same reason, while they end and once they are gone', async () => {
    const { machines, pods, after } = bench();
    await machines.raise(signal);
    const key = `${machines.name}-0`;
    const known = { metadata: {}, spec: {}, ...pods.get(key) };
    const type = { type: 'DisruptionTarget', status: 'True' };
    pods.set(key, {
      ...known,
      metadata: { ...known.metadata, deletionTimestamp: '2026-01-01T00:02:00Z' },
      status: {
        phase: 'Running',
        conditions: [{ ...type, reason: 'EvictionByEvictionAPI', message: 'drain' }],
      },
    });
    await expect(machines.pod('a')).rejects.toThrow(/EvictionByEvictionAPI/);
    pods.delete(key);
    after(60_000);
    await expect(machines.pod('a')).rejects.toThrow(/EvictionByEvictionAPI/);
    // Another one that is gone was deleted by somebody.
    pods.delete(`${machines.name}-1`);
    await expect(machines.pod('b')).rejects.toThrow(/deleted/);
    // New ones have no past.
    await machines.raise(signal);
    pods.delete(key);
    await expect(machines.pod('a')).rejects.toThrow(/deleted/);
  });
});
