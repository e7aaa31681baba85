/** A text in every language of the app: main sends and stores it so, because the reader's language is not known yet. */
import { z } from 'zod';
import { languages } from './language.ts';

export const Phrase = z.object({ en: z.string(), 'zh-CN': z.string() });
export type Phrase = z.infer<typeof Phrase>;

/** Text that is the same in every language: numbers, names, addresses. */
export const plain = (text: string): Phrase => ({ en: text, 'zh-CN': text });

/** Joins the parts that are not empty: `one · two`. */
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
