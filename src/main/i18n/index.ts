/**
 * Words that the services send and store in every language (`phrase`), and that reports, notifications and the command line say in
 * one (`say`). Keys and their parameters are typed.
 */
import type { Phrase } from '../../shared/base/phrase.ts';
import { addWords } from '../../shared/i18n/say.ts';
import type { RunState } from '../../shared/run/run.ts';
import type { Keys } from '../../shared/i18n/words.ts';
import { en } from './en/index.ts';
import { zh } from './zh/index.ts';

export const { say, phrase, within } = addWords(en, zh);

/** For what is asked by a code: which codes have words. */
export { en };

export type WordKey = Keys<typeof en>;

/** How a process ended that said nothing. @param code null where a signal ended it */
export const exitWords = (code: number | null): Phrase =>
  code === null ? phrase('reasons.bySignal') : phrase('reasons.exitCode', { code });

/** A run's state within a sentence: in English without a capital. */
export const inSentence = (state: RunState): Phrase => ({ ...phrase(`runStates.${state}`), en: state });
