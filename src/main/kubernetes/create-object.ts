/** Creates one object in a namespace, or finds out that it is there: both are answered with the status 409. */
import type { Clock } from '../base/clock.ts';
import type { KubernetesApi } from './contract.ts';
import { Status } from './objects.ts';

/** Milliseconds for which a conflict is tried again, and between tries. */
const conflictMs = 30_000;
const every = 500;

/**
 * A quota that counts other objects at the same moment answers 409 `Conflict`, and nothing was created then.
 * @returns the object, or undefined where one of this name was there
 */
export async function createObject(
  api: KubernetesApi,
  path: string,
  one: object,
  clock: Clock,
  signal?: AbortSignal,
): Promise<{ readonly body: unknown } | undefined> {
  const query = { fieldValidation: 'Strict' };
  const began = clock.ticks();
  for (;;) {
    const isLast = clock.ticks() - began > conflictMs;
    // Of the last try a conflict is a refusal, in the cluster's own words.
    const { status, body } = await api.request({
      ...{ method: 'POST', path, query, body: one, expects: isLast ? [] : [409], signal },
    });
    if (status !== 409) return { body };
    if (Status.safeParse(body).data?.reason === 'AlreadyExists') return undefined;
    await clock.sleep(every, signal);
  }
}
