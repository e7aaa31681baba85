/** Shows objects to the API server in a dry run: the namespace's quotas and rules judge them before they are created. */
import type { KubernetesApi } from './contract.ts';
import { limited, wantsCpuLimit } from './cpu-limits.ts';
import { podsOf, type Made } from './made-objects.ts';
import { pathOf } from './paths.ts';

/**
 * Quotas and the Pod Security Standards judge pods, not what makes them: a pod of each is tried, too. Those are created with limits of
 * processors where the namespace wants them, and are tried so. Rejects as `KubernetesApi.request` does.
 * @param says called with the refusal where limits are set
 * @returns the objects as they are to be created
 */
export async function tryObjects<T extends Made>(
  api: KubernetesApi,
  objects: readonly T[],
  signal: AbortSignal,
  says: (why: string) => void = () => undefined,
): Promise<readonly T[]> {
  const refusals: string[] = [];
  const query = { dryRun: 'All', fieldValidation: 'Strict' };
  const attempt = async (path: string, body: unknown): Promise<void> =>
    // One of this name may be about to go.
    void (await api.request({ method: 'POST', path, query, body, expects: [409], signal }));
  for (const one of objects) {
    const kind = one.kind === 'JobSet' ? 'jobsets' : one.kind === 'Job' ? 'jobs' : 'services';
    await attempt(await pathOf(api, kind), one);
    const path = await pathOf(api, 'pods');
    for (const [at, pod] of podsOf(one).entries())
      await attempt(path, pod).catch(async (error: unknown) => {
        if (!wantsCpuLimit(error)) throw error;
        await attempt(path, limited([one]).flatMap(podsOf)[at]);
        refusals.push(String(error.params.reason));
      });
  }
  const [why] = refusals;
  if (why === undefined) return objects;
  says(why);
  return limited(objects);
}
