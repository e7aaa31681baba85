/** What is wrong with a value, in words: our own rules have a code as their message, zod's stay as zod says them. */
import type { Phrase } from '../base/phrase.ts';
import { en } from './en/index.ts';
import { phrase } from './say.ts';

type Code = keyof typeof en.valueProblems;
const isCode = (message: string): message is Code => Object.hasOwn(en.valueProblems, message);

/** For the `problem` of an error. @param issue zod's */
export function valueProblem(issue: { readonly message: string } | undefined): Phrase | string {
  const message = issue?.message ?? '';
  return isCode(message) ? phrase(`valueProblems.${message}`) : message;
}
