/** A user who answers as the test says, and what they were asked. */
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
