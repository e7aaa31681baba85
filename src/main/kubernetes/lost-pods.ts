/** Why pods ended that should not have. Pure. */
import type { Phrase } from '../../shared/base/phrase.ts';
import { phrase } from '../i18n/index.ts';
import type { SeenPod } from './objects.ts';

/** What the cluster did to one of them; undefined where it says nothing. */
export function lossOf(pods: readonly SeenPod[]): Phrase | undefined {
  const lost = pods.find(({ disrupted }) => disrupted !== undefined)?.disrupted;
  if (lost !== undefined) {
    const words = { word: lost.reason, message: lost.message.slice(0, 300) };
    return /evict/i.test(lost.reason)
      ? phrase('reasons.kubernetes.evicted', words)
      : phrase('reasons.kubernetes.disrupted', words);
  }
  return pods.some(({ exit }) => exit?.reason === 'OOMKilled')
    ? phrase('reasons.kubernetes.outOfMemory')
    : undefined;
}
