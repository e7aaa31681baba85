/** A run's state within a sentence of an error: in English without a capital. */
import type { Phrase } from '../../../shared/base/phrase.ts';
import type { RunState } from '../../../shared/run/run.ts';
import { phrase } from '../../i18n/index.ts';

export const inSentence = (state: RunState): Phrase => ({ ...phrase(`runStates.${state}`), en: state });
