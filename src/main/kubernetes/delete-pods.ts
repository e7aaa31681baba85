/** Deletes pods that were seen, and no others that have their names by now. */
import type { KubernetesApi } from './contract.ts';
import type { SeenPod } from './objects.ts';
import { pathOf } from './paths.ts';

/** @param options `graceSeconds`: 0 deletes by force; by default the pod's own. Rejects as the API's requests do. */
export async function deletePods(
  api: KubernetesApi,
  pods: readonly Pick<SeenPod, 'name' | 'uid'>[],
  {
    graceSeconds,
    signal,
  }: { readonly graceSeconds?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const grace = graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds };
  const path = await pathOf(api, 'pods');
  for (const { name, uid } of pods) {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...grace, preconditions: { uid } };
    await api.request({ method: 'DELETE', path: `${path}/${name}`, body, expects: [404, 409], signal });
  }
}
