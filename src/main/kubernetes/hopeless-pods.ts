/** Recognises pods that will not start by themselves. A registry that fails for a moment is no such reason: the kubelet asks it again. */
import type { Clock } from '../base/clock.ts';
import type { SeenPod, Why } from './objects.ts';

/** Milliseconds for which the kubelet may try to pull an image: it does so after 10 s, 20 s, 40 s and 80 s. */
const pullMs = 120_000;
const pulling: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff']);
/** What a registry says of an image that the next try will not get either. */
const final = /not found|manifest unknown|unauthorized|denied|invalid reference/i;
/** What does not go away by waiting. */
const atOnce: ReadonlySet<string> = new Set([
  ...['InvalidImageName', 'ErrImageNeverPull', 'ImageInspectError'],
  ...['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'],
]);

interface HopelessPod {
  readonly pod: SeenPod;
  readonly why: Why;
}

interface Failing {
  /** By the clock's ticks. */
  readonly since: number;
  readonly why: Why;
}

/** To be called with all pods at each look. Returns the first one that will not start. */
export function createHopelessPods(
  clock: Pick<Clock, 'ticks'>,
): (pods: readonly SeenPod[]) => HopelessPod | undefined {
  let failing: ReadonlyMap<string, Failing> = new Map();
  return (pods) => {
    const seen = new Map<string, Failing>();
    let found: HopelessPod | undefined;
    for (const pod of pods) {
      const { uid, waits } = pod;
      if (waits === undefined) continue;
      if (atOnce.has(waits.reason)) found ??= { pod, why: waits };
      if (!pulling.has(waits.reason)) continue;
      const before = failing.get(uid);
      const since = before?.since ?? clock.ticks();
      // Until Kubernetes 1.31 the pause between two tries does not say why the last one failed.
      const isBare = waits.reason === 'ImagePullBackOff' && !waits.message.includes('ErrImagePull');
      const why = isBare && before !== undefined && !final.test(waits.message) ? before.why : waits;
      seen.set(uid, { since, why });
      if (final.test(why.message) || clock.ticks() - since >= pullMs) found ??= { pod, why };
    }
    failing = seen;
    return found;
  };
}
