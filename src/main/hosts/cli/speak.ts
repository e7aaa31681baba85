/** The command line speaks the language of the system. */
import type { Phrase } from '../../../shared/base/phrase.ts';
import { systemLanguage } from '../../base/system-language.ts';
import { within } from '../../i18n/index.ts';

export const language = systemLanguage();

export const speak = within(language);

export const inLanguage = (phrase: Phrase): string => phrase[language];
