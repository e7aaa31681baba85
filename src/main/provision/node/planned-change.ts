/**
 * One change to a node. Dry run, consent and execution use this same `command`: a step builds it in one function and
 * runs it unchanged. Only the root shell (`sudo … sh -c`, `set -e`), the node's namespace and the lent connection are
 * added around it.
 */
import type { Line, Phrase } from '../../../shared/base/phrase.ts';
import { phrase } from '../../i18n/index.ts';

export interface PlannedChange {
  readonly what: Phrase;
  /** Empty where it is not known in advance: `what` then explains what it depends on. A phrase is no shell's command. */
  readonly command: Line;
  /** A shorter equivalent for the user to type. */
  readonly byHand?: string;
}

/** One whose command is run as it was planned. */
export interface RunnableChange extends PlannedChange {
  readonly command: string;
}

/** A local file or a description of its content, and its path on the node. */
export const uploadWords = (from: Line, to: string): Phrase => phrase('nodeCommands.upload', { from, to });

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
