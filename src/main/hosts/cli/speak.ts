/** The command line speaks the language of the system. */
import type { Phrase } from '../../../shared/base/phrase.ts';
import { terminalLanguage } from '../../base/system-language.ts';
import { within } from '../../i18n/index.ts';

export const language = terminalLanguage();

export const speak = within(language);

export const inLanguage = (phrase: Phrase): string => phrase[language];
