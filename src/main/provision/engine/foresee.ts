/** Asks in one command what a step and those after it are about to ask. */
import type { SshSession } from '../../ssh/index.ts';
import type { Answers, Question } from '../node/questions.ts';
import type { Step, StepContext } from './step.ts';

/**
 * Asks what the first of these steps is about to ask, and what those after it would, as far as that is known now.
 * Never throws: what was not answered is asked by the step itself, which then says why it could not.
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
