/** What the doctor says of an output: the failure it recognised, why it happens, and what to do. */
import { z } from 'zod';

/** The same words in every language of the app. */
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

/** What a button beside a diagnosis does. `retry` tries the step or the run again; the others prepare that. */
export const DiagnosisAction = z.enum([
  'retry',
  'repair_driver',
  'reboot',
  'halve_batch',
  'ask_password',
  'other_port',
  'lend_internet',
]);
export type DiagnosisAction = z.infer<typeof DiagnosisAction>;

export const Diagnosed = z.object({
  code: z.string(),
  cause: Phrase,
  remedy: Phrase,
  action: DiagnosisAction.optional(),
  /** The line that gave it away, at most 500 characters. */
  line: z.string(),
});
export type Diagnosed = z.infer<typeof Diagnosed>;
