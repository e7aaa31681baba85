/** Keeps the pods of a lab on a cluster without a claim: each is a machine of its own, in which commands run. */
import { createHash } from 'node:crypto';
import { RinglabError } from '../../shared/base/errors.ts';
import { machineObjects, machinePlaces } from '../../shared/lab/kubernetes-machines.ts';
import type { KubernetesTarget } from '../../shared/lab/kubernetes.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { podGroups } from '../../shared/lab/pod-groups.ts';
import { unlessAborted } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { phrase } from '../i18n/index.ts';
import type { KubernetesApi, PodMachines } from './contract.ts';
import { asNamespaceWants } from './namespace-wants.ts';
import { createObject } from './create-object.ts';
import { tryObjects } from './dry-run.ts';
import { usesJobSet } from './facts.ts';
import { createHopelessPods } from './hopeless-pods.ts';
import { lossOf } from './lost-pods.ts';
import { listOf, podOf, waitWords, whyWords, type SeenPod } from './objects.ts';
import { pathOf } from './paths.ts';
import { patiently } from './patience.ts';
import { createStuckPods } from './stuck-pods.ts';

/** Milliseconds until all pods must run, since they may wait for room and their image may be large; and for deleting them alone. */
const startMs = 1_200_000;
const removeMs = 60_000;
const lookEvery = 500;
/** Milliseconds without an answer of the API after which waiting pods are given up. */
const awayMs = 120_000;
/** Milliseconds for which one who gives up waits until they are asked to go: others may still want them. */
const farewellMs = 5000;
/** Milliseconds for which a pod that ran is believed to run. */
const trustMs = 20_000;

export interface MachinesOptions {
  readonly api: KubernetesApi;
  readonly target: KubernetesTarget;
  readonly lab: LabDocument;
  /** Another app of the same namespace has its own. */
  readonly owner: string;
  readonly clock: Clock;
}

/** Of the lab and of what its nodes are drawn with: one that is drawn anew has new pods. */
export function machinesName({
  target,
  lab,
  owner,
}: Pick<MachinesOptions, 'target' | 'lab' | 'owner'>): string {
  const drawn = podGroups(lab, undefined).map(({ nodes, gpus, ranksPerPod }) => [
    nodes.map(({ id, placement: { cpus, memoryGb } }) => [id, cpus, memoryGb]),
    ...[gpus, ranksPerPod],
  ]);
  const key = JSON.stringify([owner, target, lab.id, drawn]);
  return `ringlab-nodes-${createHash('sha256').update(key).digest('hex').slice(0, 10)}`;
}

export function createMachines(options: MachinesOptions): PodMachines {
  const { api, target, lab, clock } = options;
  const name = machinesName(options);
  const places = machinePlaces(lab, name);
  const seenAt = new Map<string, { readonly pod: string; readonly at: number }>();
  const unstick = createStuckPods(api, clock);
  /** What the cluster took away, by name: such a pod is soon gone, and with it the reason. */
  const taken = new Map<string, SeenPod>();
  let raising: Promise<boolean> | undefined;
  let removing: Promise<void> = Promise.resolve();

  const list = async (signal?: AbortSignal): Promise<SeenPod[]> => {
    const query = { labelSelector: `app.kubernetes.io/instance=${name}` };
    const { body } = await api.request({ method: 'GET', path: await pathOf(api, 'pods'), query, signal });
    const pods = listOf(body).items.flatMap((one) => podOf(one) ?? []);
    for (const pod of pods) if (pod.disrupted !== undefined) taken.set(pod.name, pod);
    return pods;
  };
  const podsAt = (pods: Iterable<SeenPod>, nodeId: string): SeenPod[] => {
    const place = places.find((one) => one.nodeId === nodeId);
    return [...pods].filter(({ job, index }) => place?.jobs.includes(job) === true && index === place.index);
  };
  const podAt = (pods: readonly SeenPod[], nodeId: string): SeenPod | undefined =>
    podsAt(pods, nodeId).find(({ isDeleting }) => !isDeleting);
  const erase = async (signal?: AbortSignal): Promise<void> => {
    seenAt.clear();
    taken.clear();
    const query = { propagationPolicy: 'Background', gracePeriodSeconds: '5' };
    const remove = async (path: string, expects: readonly number[]): Promise<void> =>
      void (await api.request({ method: 'DELETE', path, query, expects, signal }));
    // All at once: an app that ends has little time.
    await Promise.all([
      // A cluster without JobSets does not know them, and an account need not have rights to them.
      remove(`${await pathOf(api, 'jobsets')}/${name}`, [403, 404, 409]),
      ...[...new Set(places.flatMap(({ jobs }) => jobs))].map(async (job) =>
        remove(`${await pathOf(api, 'jobs')}/${job}`, [404, 409]),
      ),
    ]);
  };
  /** @param isNew none were there: a quota may count those that were for a while yet, and the cluster had taken them */
  const create = async (isNew: boolean, signal: AbortSignal, says: (why: string) => void): Promise<void> => {
    const isSet = await usesJobSet(api, lab, undefined, signal);
    const objects = machineObjects(lab, target, name, isSet);
    const wanted = isNew
      ? await tryObjects(api, objects, signal, says)
      : await asNamespaceWants(api, objects, says, signal);
    for (const one of wanted) {
      const path = await pathOf(api, one.kind === 'JobSet' ? 'jobsets' : 'jobs');
      await createObject(api, path, one, clock, signal);
    }
  };
  const unready = async (pod: string, reason: string): Promise<RinglabError> =>
    new RinglabError('pod_unready', { pod, image: target.image, reason }, { where: await api.name() });
  /** Resolves when they are gone. */
  const remove = async (
    signal: AbortSignal,
    waits: (why: string) => void = () => undefined,
  ): Promise<void> => {
    await erase(signal);
    const began = clock.ticks();
    let said = '';
    for (;;) {
      const pods = await list(signal);
      const [left] = pods;
      if (left === undefined) return;
      if (clock.ticks() - began > startMs) throw await unready(left.name, 'Terminating');
      const why = `Terminating: ${left.name}${left.node === undefined ? '' : ` (${left.node})`}`;
      if (why !== said) waits((said = why));
      await unstick(pods, signal);
      await clock.sleep(lookEvery, signal);
    }
  };
  const runs = (pods: readonly SeenPod[]): boolean =>
    places.every(({ nodeId }) => podAt(pods, nodeId)?.runs === true);
  const renew = async (isNew: boolean, signal: AbortSignal, waits: (why: string) => void): Promise<void> => {
    // Some may have ended by themselves: a lab has all its pods, or new ones.
    await remove(signal, waits);
    await create(isNew, signal, waits);
    const began = clock.ticks();
    const hopeless = createHopelessPods(clock);
    let said = '';
    for (;;) {
      // Where the API is away for a moment, pods that wait for room keep their place.
      const pods = await patiently(() => list(signal), clock, awayMs, signal);
      if (runs(pods)) return;
      const unstartable = hopeless(pods);
      if (unstartable !== undefined) throw await unready(unstartable.pod.name, whyWords(unstartable.why));
      const lost = pods.find((pod) => pod.phase === 'Failed');
      const isLate = clock.ticks() - began > startMs;
      const waiting = lost ?? (isLate ? pods.find((pod) => !pod.runs) : undefined);
      if (waiting !== undefined || isLate)
        throw await unready(waiting?.name ?? name, waiting === undefined ? 'NoPods' : waitWords(waiting));
      const why = pods.flatMap((pod) => (pod.runs ? [] : waitWords(pod)))[0] ?? 'NoPods';
      if (why !== said) waits((said = why));
      await clock.sleep(lookEvery, signal);
    }
  };
  const start = async (signal: AbortSignal, waits: (why: string) => void): Promise<boolean> => {
    // Pods that are about to go still run.
    await unlessAborted(removing, signal);
    // Where this cannot be seen they stay: a run may train in them.
    const before = await list(signal);
    if (runs(before)) return false;
    await renew(before.length === 0, signal, waits).catch(async (error: unknown) => {
      // What was asked for is not wanted any more.
      await erase().catch(() => undefined);
      throw error;
    });
    return true;
  };
  const pod = async (nodeId: string, signal?: AbortSignal): Promise<string> => {
    const known = seenAt.get(nodeId);
    if (known !== undefined && clock.ticks() - known.at < trustMs) return known.pod;
    const found = podAt(await list(signal), nodeId);
    if (found?.runs === true) {
      seenAt.set(nodeId, { pod: found.name, at: clock.ticks() });
      return found.name;
    }
    seenAt.delete(nodeId);
    const cluster = await api.name();
    if (found?.phase === 'Pending')
      throw new RinglabError('pod_gone', { pod: found.name, cluster }, { where: cluster });
    // It is not replaced, and its disk is gone with it.
    const reason =
      lossOf([...(found === undefined ? [] : [found]), ...podsAt(taken.values(), nodeId)]) ??
      phrase('reasons.kubernetes.deleted');
    throw new RinglabError('pods_ended', { job: name, reason }, { where: cluster });
  };
  return {
    name,
    pod,
    raise(signal, waits = () => undefined) {
      // Shared by the lab's nodes, which are prepared together.
      raising ??= start(signal, waits).finally(() => (raising = undefined));
      const shared = raising;
      return unlessAborted(shared, signal).catch(async (error: unknown) => {
        // They are asked to go before the caller goes on: the app may end then.
        const ended = shared.catch(() => undefined);
        if (signal.aborted) await Promise.race([ended, clock.sleep(farewellMs)]);
        throw error;
      });
    },
    async run(nodeId, command, terminal) {
      try {
        const process = await api.exec(await pod(nodeId), command, terminal);
        void process.ended.then((code) => {
          if (code === undefined) seenAt.delete(nodeId);
        });
        return process;
      } catch (error) {
        seenAt.delete(nodeId);
        throw error;
      }
    },
    async remove() {
      const work = remove(AbortSignal.timeout(removeMs));
      removing = work.catch(() => undefined);
      await work;
    },
  };
}
