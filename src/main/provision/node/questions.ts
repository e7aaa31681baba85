/**
 * Batches the read-only questions of steps. A node that is ready answers everything in two commands (its facts, and
 * what depends on them), which saves round trips.
 *
 * An answer is valid for exactly the same question, once, and only until another command runs on the node.
 */
import { randomUUID } from 'node:crypto';
import type { ExecResult, SshSession } from '../../ssh/index.ts';
import type { Clock } from '../../base/clock.ts';

/** A read-only script. */
export type Question = string;

export interface Answer extends ExecResult {
  /** Milliseconds of this computer's clock before and after the batch. */
  readonly asked: number;
  readonly answered: number;
}

export interface Answers {
  /**
   * Sends all questions in one command. A question that fails gets no answer, nor do those after it, since they may
   * depend on it; the step asks them again.
   */
  ask(session: SshSession, questions: readonly Question[], signal: AbortSignal): Promise<void>;
  take(question: Question): Answer | undefined;
  has(question: Question): boolean;
  /** Discards all answers: the node may have changed. */
  forget(): void;
}

/** As for the facts alone, which are among them: read-facts.ts. */
const limitMs = 180_000;

export function createAnswers(clock: Clock): Answers {
  const known = new Map<Question, Answer>();
  return {
    async ask(session, questions, signal) {
      known.clear();
      const mark = `ringlab ${randomUUID()}`;
      const script = questions
        .map((question) => `(\n${question}\n)\nprintf '\\n%s %s\\n' '${mark}' $?\n`)
        .join('');
      const asked = clock.now();
      const { stdout } = await session.exec(script, { signal, timeoutMs: limitMs, brief: true });
      const answered = clock.now();
      const parts = stdout.split(new RegExp(`\\n${mark} (\\d+)\\n`));
      for (const [index, question] of questions.entries()) {
        const [output, code] = parts.slice(2 * index, 2 * index + 2);
        if (output === undefined || code !== '0') return;
        known.set(question, { code: 0, signal: null, stdout: output, stderr: '', asked, answered });
      }
    },
    take(question) {
      const answer = known.get(question);
      known.delete(question);
      return answer;
    },
    has: (question) => known.has(question),
    forget: () => known.clear(),
  };
}
