/** How much of a script's folder is sent, as it is found before anything is read, and in words. */
import * as z from 'zod';
import type { Language } from '../base/language.ts';
import { asOneLine } from '../base/plain-text.ts';
import { say } from '../i18n/say.ts';

/** How many of the largest parts of a folder are named. */
export const maxCodeParts = 5;

/** A file or a folder (with `/` at its end) at the top of a script's folder. */
export const CodePart = z.object({
  path: z.string(),
  files: z.number().int().nonnegative(),
  bytes: z.number().nonnegative(),
});
export type CodePart = z.infer<typeof CodePart>;

export const CodeSize = z.object({
  files: z.number().int().nonnegative(),
  bytes: z.number().nonnegative(),
  /** The largest first. */
  largest: z.array(CodePart).max(maxCodeParts),
});
export type CodeSize = z.infer<typeof CodeSize>;

/** Less is with any node in a moment: what is large in it is not worth a word. */
const noteworthy = { files: 2000, bytes: 20 * 1024 ** 2 };

const countWords = ({ files, bytes }: Pick<CodeSize, 'files' | 'bytes'>, language: Language): string =>
  say(language, files === 1 ? 'codeSize.file' : 'codeSize.files', { count: files, bytes });

/** One sentence; of a large folder also what is large in it. */
export function describeCodeSize(size: CodeSize, language: Language): string {
  const words = countWords(size, language);
  if (size.files < noteworthy.files && size.bytes < noteworthy.bytes)
    return say(language, 'codeSize.sent', { words });
  const parts = size.largest.map((part) =>
    say(language, 'codeSize.part', { path: asOneLine(part.path), words: countWords(part, language) }),
  );
  return say(language, 'codeSize.large', { words, parts });
}
