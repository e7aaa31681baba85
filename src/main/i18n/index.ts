/**
 * Words that the services send and store in every language (`phrase`), and that reports, notifications and the command line say in
 * one (`say`). Keys and their parameters are typed.
 */
import { addWords } from '../../shared/i18n/say.ts';
import type { Keys } from '../../shared/i18n/words.ts';
import { en } from './en/index.ts';
import { zh } from './zh/index.ts';

export const { say, phrase } = addWords(en, zh);

export type WordKey = Keys<typeof en>;
