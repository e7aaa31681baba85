/** How services ask the user something: host keys, passwords, codes. `app.ts` provides it. */
import type { PromptAnswer, Question } from '../../../shared/contract/prompts.ts';

export interface Prompter {
  /** Waits for the answer; rejects with `prompt_unanswered` where nobody can answer, with `cancelled` on abort. */
  ask(question: Question, signal?: AbortSignal): Promise<PromptAnswer>;
}
