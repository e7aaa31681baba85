/**
 * One change to a node. Dry run, consent and execution use this same `command`: a step builds it in one function and
 * runs it unchanged. Only the root shell (`sudo … sh -c`, `set -e`), the node's namespace and the lent connection are
 * added around it.
 */
import type { Phrase } from '../../../shared/base/phrase.ts';
import { phrase } from '../../i18n/index.ts';

export interface PlannedChange {
  readonly what: Phrase;
  /** Empty where it is not known in advance: `what` then explains what it depends on. */
  readonly command: string;
  /** A shorter equivalent for the user to type. */
  readonly byHand?: string;
}

/** A local file or a description of its content, and its path on the node. */
export const uploadWords = (from: string, to: string): string => `upload ${from} → ${to}`;

/** For changes that depend on a libtorch which the previous step is only expected to provide. */
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
