/** Batches the read-only questions of a step and of those after it into one command. */
import type { SshSession } from '../../ssh/index.ts';
import type { Answers, Question } from '../node/questions.ts';
import type { Step, StepContext } from './step.ts';

/**
 * Asks the first step's questions, and those of the following steps as far as they are known. Never throws: a
 * question without an answer is asked again by the step itself, which reports the error.
 */
export async function foresee(
  steps: readonly Step[],
  { lab, node, machine, work, signal }: Pick<StepContext, 'lab' | 'node' | 'machine' | 'work' | 'signal'>,
  session: SshSession,
  answers: Answers,
): Promise<void> {
  const imagined = { lab, node, machine, work: { ...work } };
  const questions: Question[] = [];
  try {
    for (const [index, step] of steps.entries()) {
      const own = await step.foresee?.(imagined);
      if (index === 0 && (own === undefined || own.length === 0 || own.every(answers.has))) return;
      if (step.foresee !== undefined && own === undefined) break;
      questions.push(...(own ?? []));
    }
    await answers.ask(session, questions, signal);
  } catch {
    answers.forget();
  }
}
