/** Deletes pods that ought to be gone: where a machine is lost, nothing on it ends them, and the cluster keeps them for days. */
import type { Clock } from '../base/clock.ts';
import type { KubernetesApi } from './contract.ts';
import { deletePods } from './delete-pods.ts';
import type { SeenPod } from './objects.ts';
import { pathOf } from './paths.ts';

/** Milliseconds beyond the time that containers have to end: a machine that is there needs a few seconds. */
const patienceMs = 30_000;

/**
 * To be called with all pods at each look; those that have been about to go for too long are deleted by force.
 * @param ofJobs they are of jobs with a pod failure policy, which replace no pod before it has failed (KEP-3939), and keep one with a
 * finalizer until then: on a lost machine for ever. Without it the pod is gone. The account may lack the right
 */
export function createStuckPods(
  api: KubernetesApi,
  clock: Clock,
  ofJobs = false,
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
    if (stuck.length === 0) return;
    await deletePods(api, stuck, { graceSeconds: 0, signal });
    if (!ofJobs) return;
    const path = await pathOf(api, 'pods');
    for (const { name, uid } of stuck) {
      const body = { metadata: { uid, finalizers: null } };
      const expects = [403, 404, 409, 422];
      await api.request({ method: 'PATCH', path: `${path}/${name}`, body, expects, signal });
    }
  };
}
