/** The interface through which services ask the user: host keys, passwords, codes. `app.ts` provides it. */
import type { PromptAnswer, Question } from '../../../shared/contract/prompts.ts';

export interface Prompter {
  /** Waits for the answer; rejects with `prompt_unanswered` where no client can answer, with `cancelled` on abort. */
  ask(question: Question, signal?: AbortSignal): Promise<PromptAnswer>;
}
