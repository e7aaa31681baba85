/** For tests: a user who gives scripted answers, and records the questions. */
import type { Prompter } from '../../ssh/index.ts';
import type { PromptAnswer, Question } from '../../../shared/contract/prompts.ts';

export interface Asker extends Prompter {
  readonly questions: Question[];
}

/** Accepts everything by default. */
export function createAsker(
  answer: (question: Question) => PromptAnswer = () => ({ kind: 'accept' }),
): Asker {
  const questions: Question[] = [];
  return {
    questions,
    ask(question, signal) {
      signal?.throwIfAborted();
      questions.push(question);
      return Promise.resolve(answer(question));
    },
  };
}
