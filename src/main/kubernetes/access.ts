/** Keeps the access pod of a cluster: the pod with the claim, in which commands run as on a login node. */
import { RinglabError } from '../../shared/base/errors.ts';
import { accessPod } from '../../shared/lab/kubernetes-machines.ts';
import type { KubernetesTarget } from '../../shared/lab/kubernetes.ts';
import { unlessAborted } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { KubernetesApi } from './contract.ts';
import { createHopelessPods } from './hopeless-pods.ts';
import { metPod, untilMet, type FoundWant } from './namespace-wants.ts';
import { eventOf, listOf, podOf, whyWords, type SeenPod, type Why } from './objects.ts';
import { pathOf } from './paths.ts';
import { cpuLimitOf, ownUsers, type Want } from './pod-wants.ts';
import { createStuckPods } from './stuck-pods.ts';

/**
 * Milliseconds until it must run once it has a machine, since its image may be large, and until it must have one where the scheduler says
 * that there is none: a cluster may start machines for it. Otherwise until it must have one. While a pod is looked at: between looks.
 */
const startMs = 600_000;
const placeMs = 120_000;
const lookEvery = 500;
/** Processors to which it is limited where the namespace wants a limit: it unpacks what it is sent. */
const accessCpu = '1';
const wants: readonly Want[] = [ownUsers, cpuLimitOf(accessCpu)];
/** Milliseconds for which a pod that ran is believed to run. */
const trustMs = 20_000;
export interface AccessPod {
  /**
   * The name of the running pod.
   * @param waits called with why it has no machine, in the scheduler's words, when that changes
   */
  ensure(signal?: AbortSignal, waits?: (why: string) => void): Promise<string>;
  /** A command could not be run in it, or was cut off: it is looked at before the next one. */
  doubt(): void;
  /** Deletes it where this app created or used it. */
  remove(signal: AbortSignal): Promise<void>;
}

export interface AccessOptions {
  readonly api: KubernetesApi;
  readonly target: KubernetesTarget;
  readonly name: string;
  readonly clock: Clock;
}

export function createAccessPod({ api, target, name, clock }: AccessOptions): AccessPod {
  const unstick = createStuckPods(api, clock);
  let isUsed = false;
  let seenAt = -Infinity;
  const ending = new AbortController();
  let ensuring: Promise<string> | undefined;
  const listeners = new Set<(why: string) => void>();
  const path = (): Promise<string> => pathOf(api, 'pods');
  const read = async (signal?: AbortSignal): Promise<SeenPod | undefined> => {
    const what = { method: 'GET', path: `${await path()}/${name}`, expects: [404], signal } as const;
    const { status, body } = await api.request(what);
    return status === 404 ? undefined : podOf(body);
  };
  const erase = async (graceSeconds: number, signal?: AbortSignal): Promise<void> => {
    const query = { gracePeriodSeconds: String(graceSeconds) };
    await api.request({ method: 'DELETE', path: `${await path()}/${name}`, query, expects: [404], signal });
  };
  const unready = async (why: Why): Promise<RinglabError> =>
    new RinglabError(
      'pod_unready',
      {
        pod: name,
        image: target.image,
        reason: whyWords(why),
      },
      { where: await api.name() },
    );
  /** Of a pod that waits without a word: a volume that cannot be mounted is said in events alone. */
  const warning = async (signal?: AbortSignal): Promise<Why | undefined> => {
    const query = { fieldSelector: `involvedObject.name=${name},type=Warning` };
    const events = `${(await path()).replace(/\/pods$/, '')}/events`;
    const answer = await api.request({ method: 'GET', path: events, query, signal }).catch(() => undefined);
    return answer === undefined
      ? undefined
      : listOf(answer.body)
          .items.flatMap((one) => eventOf(one) ?? [])
          .at(-1);
  };
  const create = async (signal: AbortSignal): Promise<void> => {
    const one = accessPod(target, name);
    const found: FoundWant[] = [];
    await untilMet(
      async () => {
        const body = metPod(one, found);
        // Another caller was first.
        await api.request({ method: 'POST', path: await path(), body, expects: [409], signal });
      },
      found,
      wants,
    );
  };
  const start = async (signal: AbortSignal): Promise<string> => {
    isUsed = true;
    const hopeless = createHopelessPods(clock);
    let began = clock.ticks();
    let wasPlaced = false;
    let heard = '';
    for (;;) {
      const pod = await read(signal);
      const seen = pod === undefined ? [] : [pod];
      await unstick(seen, signal);
      const unstartable = hopeless(seen);
      if (pod === undefined) await create(signal);
      else if (pod.runs && !pod.isDeleting) {
        seenAt = clock.ticks();
        return name;
      } else if (pod.exit !== undefined || pod.phase === 'Succeeded' || pod.phase === 'Failed')
        await erase(0, signal);
      else if (unstartable !== undefined) {
        const error = await unready(unstartable.why);
        // A corrected image or secret starts with a new one.
        await erase(0, signal);
        throw error;
      }
      const isPlaced = pod?.node !== undefined;
      if (isPlaced && !wasPlaced) began = clock.ticks();
      wasPlaced ||= isPlaced;
      const unplaced = pod?.waits?.reason === 'Unschedulable' ? whyWords(pod.waits) : undefined;
      if (unplaced !== undefined && unplaced !== heard)
        for (const listener of listeners) listener((heard = unplaced));
      const waited = clock.ticks() - began;
      if (waited > (isPlaced || unplaced !== undefined ? startMs : placeMs)) {
        const said = pod?.waits?.message === '' ? await warning(signal) : undefined;
        throw await unready(said ?? pod?.waits ?? { reason: 'Terminating', message: '' });
      }
      await clock.sleep(lookEvery, signal);
    }
  };
  return {
    ensure(signal, waits) {
      if (clock.ticks() - seenAt < trustMs) return Promise.resolve(name);
      if (waits !== undefined) listeners.add(waits);
      // Shared by callers; one that gives up does not end it for the others.
      ensuring ??= start(ending.signal).finally(() => (ensuring = undefined));
      return unlessAborted(ensuring, signal).finally(() => waits !== undefined && listeners.delete(waits));
    },
    doubt() {
      seenAt = -Infinity;
    },
    async remove(signal) {
      ending.abort();
      if (isUsed) await erase(1, signal);
    },
  };
}
