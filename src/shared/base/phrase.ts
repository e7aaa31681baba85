/** A text in every language of the app: main sends and stores it so, because the reader's language is not known yet. */
import * as z from 'zod';
import { languages, type Language } from './language.ts';

export const Phrase = z.object({ en: z.string(), 'zh-CN': z.string() });
export type Phrase = z.infer<typeof Phrase>;

/** Text that is the same in every language: numbers, names, addresses. */
export const plain = (text: string): Phrase => ({ en: text, 'zh-CN': text });

export const inEveryLanguage = (text: (language: Language) => string): Phrase => ({
  en: text('en'),
  'zh-CN': text('zh-CN'),
});

/** A line of a log: a phrase where it is a sentence of ours, a string where it is a command or what a program printed. */
export const Line = z.union([z.string(), Phrase]);
export type Line = z.infer<typeof Line>;

export const lineIn = (line: Line, language: Language): string =>
  typeof line === 'string' ? line : line[language];

export const linesIn = (lines: readonly Line[], language: Language): string =>
  lines.map((line) => lineIn(line, language)).join('\n');

/** The line with its text changed, in every language. */
export const changedLine = (line: Line, change: (text: string) => string): Line =>
  typeof line === 'string' ? change(line) : inEveryLanguage((language) => change(line[language]));

const joined = (parts: readonly Line[], between: string): Phrase =>
  inEveryLanguage((language) =>
    parts
      .map((part) => lineIn(part, language))
      .filter((part) => part !== '')
      .join(between),
  );

/** Joins the parts that are not empty: `one · two`. */
export const lineOf = (parts: readonly Line[]): Phrase => joined(parts, ' · ');

/** The parts that are not empty, one below the other. */
export const linesOf = (parts: readonly Line[]): Phrase => joined(parts, '\n');

export const isPhrase = (value: unknown): value is Phrase =>
  typeof value === 'object' && value !== null && languages.every((language) => language in value);
