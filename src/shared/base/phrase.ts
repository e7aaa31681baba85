/** The same words in every language of the app: how main sends and stores what a user reads later, in a language not known yet. */
import { z } from 'zod';
import { languages } from './language.ts';

export const Phrase = z.object({ en: z.string(), 'zh-CN': z.string() });
export type Phrase = z.infer<typeof Phrase>;

/** What is the same in every language: numbers, names, addresses. */
export const plain = (text: string): Phrase => ({ en: text, 'zh-CN': text });

/** `one · two`, the empty ones left out. */
export const lineOf = (parts: readonly (Phrase | string)[]): Phrase => {
  const inLanguage = (language: keyof Phrase): string =>
    parts
      .map((part) => (typeof part === 'string' ? part : part[language]))
      .filter((part) => part !== '')
      .join(' · ');
  return { en: inLanguage('en'), 'zh-CN': inLanguage('zh-CN') };
};

export const isPhrase = (value: unknown): value is Phrase =>
  typeof value === 'object' && value !== null && languages.every((language) => language in value);
