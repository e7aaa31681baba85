/** Finds out by dry runs what a namespace wants of pods beyond what every cluster takes, and makes them so. */
import type { Pod, PodSpec } from 'kubernetes-types/core/v1';
import { RinglabError } from '../../shared/base/errors.ts';
import type { KubernetesApi } from './contract.ts';
import { podsOf, withSpecs, type Made } from './made-objects.ts';
import { pathOf } from './paths.ts';
import { cpuLimits, ownUsers, type Want } from './pod-wants.ts';

export interface FoundWant {
  readonly want: Want;
  /** The refusal, in the cluster's words. */
  readonly why: string;
}

const known: readonly Want[] = [ownUsers, cpuLimits];
const refusals: ReadonlySet<string> = new Set(['pods_refused', 'cluster_forbidden']);
const isRefusal = (error: unknown): error is RinglabError =>
  error instanceof RinglabError && refusals.has(error.code);

const meet = (spec: PodSpec, found: readonly FoundWant[]): PodSpec =>
  found.reduce((met, { want }) => want.met(met), spec);

export const metPod = (pod: Pod, found: readonly FoundWant[]): Pod =>
  pod.spec === undefined ? pod : { ...pod, spec: meet(pod.spec, found) };

export const metObjects = <T extends Made>(objects: readonly T[], found: readonly FoundWant[]): T[] =>
  withSpecs(objects, (spec) => meet(spec, found));

/**
 * Attempts until nothing that is known is wanted any more. Rejects with the last refusal.
 * @param attempt is to use `metPod` with `found`
 * @param found is added to, also where it rejects
 */
export async function untilMet(
  attempt: () => Promise<void>,
  found: FoundWant[],
  wants: readonly Want[] = known,
): Promise<void> {
  for (;;)
    try {
      await attempt();
      return;
    } catch (error) {
      const why = isRefusal(error) ? String(error.params.reason) : '';
      const want = wants.find(({ words }) => words.test(why));
      // What was met and is refused nevertheless stays refused.
      if (want === undefined || found.some((one) => one.want === want)) throw error;
      found.push({ want, why });
    }
}

/**
 * The objects as this namespace takes their pods, by a dry run of each. Refusals for other reasons are left to their creation.
 * Rejects where the API does not answer.
 * @param says called with each refusal that changes them
 */
export async function asNamespaceWants<T extends Made>(
  api: KubernetesApi,
  objects: readonly T[],
  says: (why: string) => void,
  signal?: AbortSignal,
): Promise<readonly T[]> {
  const query = { dryRun: 'All', fieldValidation: 'Strict' };
  const path = await pathOf(api, 'pods');
  const found: FoundWant[] = [];
  for (const pod of objects.flatMap(podsOf))
    await untilMet(async () => {
      const body = metPod(pod, found);
      await api.request({ method: 'POST', path, query, body, expects: [409], signal });
    }, found).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
    });
  for (const { why } of found) says(why);
  return metObjects(objects, found);
}
