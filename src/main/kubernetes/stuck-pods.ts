/** Deletes pods that ought to be gone: where a machine is lost, nothing on it ends them, and the cluster keeps them for days. */
import type { Clock } from '../base/clock.ts';
import type { KubernetesApi } from './contract.ts';
import { deletePods } from './delete-pods.ts';
import type { SeenPod } from './objects.ts';

/** Milliseconds beyond the time that containers have to end: a machine that is there needs a few seconds. */
const patienceMs = 30_000;

/** To be called with all pods at each look; those that have been about to go for too long are deleted by force. */
export function createStuckPods(
  api: KubernetesApi,
  clock: Clock,
): (pods: readonly SeenPod[], signal?: AbortSignal) => Promise<void> {
  let since: ReadonlyMap<string, number> = new Map();
  return async (pods, signal) => {
    const now = clock.ticks();
    const seen = new Map<string, number>();
    const stuck = pods.filter(({ uid, isDeleting, graceSeconds }) => {
      if (!isDeleting) return false;
      const first = since.get(uid) ?? now;
      const isStuck = now - first > graceSeconds * 1000 + patienceMs;
      // One that stays nevertheless is not asked for at each look.
      seen.set(uid, isStuck ? now : first);
      return isStuck;
    });
    since = seen;
    if (stuck.length > 0) await deletePods(api, stuck, { graceSeconds: 0, signal });
  };
}
