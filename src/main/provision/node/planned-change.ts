/**
 * One change to a node. What a dry run shows, what a consent shows and what is run are this one `command`: a step builds it
 * in one function and runs it as it stands. Around it come only the root's shell (`sudo … sh -c`, `set -e`), the node's
 * namespace, and the lent connection.
 */
import type { Phrase } from '../../../shared/base/phrase.ts';
import { phrase } from '../../i18n/index.ts';

export interface PlannedChange {
  readonly what: Phrase;
  /** Empty where it cannot be known beforehand: then `what` says of what it depends. */
  readonly command: string;
  /** What the user types instead, where that is shorter. */
  readonly byHand?: string;
}

/** A file of this computer, or what it is, and where it goes on the node. */
export const uploadWords = (from: string, to: string): string => `upload ${from} → ${to}`;

/** For what depends on a libtorch that the step before is only expected to bring. */
export const ifForeseen = (
  {
    foreseen,
    libtorch,
  }: { readonly foreseen?: boolean; readonly libtorch?: { readonly version: string } | undefined },
  what: Phrase,
): Phrase =>
  foreseen !== true || libtorch === undefined
    ? what
    : phrase('changes.ifForeseen', { what, version: libtorch.version });

export const inWords = (what: Phrase): PlannedChange => ({ what, command: '' });
