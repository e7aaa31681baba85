/**
 * Steps that find nothing to do only look. Their looks are announced beforehand and asked in one command: a node that is ready
 * answers everything in two (its facts, and what depends on them), whatever the way to it is.
 *
 * An answer is worth the exact words of its question, once, and only until something else is run on the node.
 */
import { randomUUID } from 'node:crypto';
import type { ExecResult, SshSession } from '../../ssh/index.ts';
import type { Clock } from '../../base/clock.ts';

/** A script that changes nothing on the node. */
export type Question = string;

export interface Answer extends ExecResult {
  /** Milliseconds of this computer's clock, before and after it was asked. */
  readonly asked: number;
  readonly answered: number;
}

export interface Answers {
  /**
   * Asks all of it in one command. A question that fails is not answered, nor are those after it: who needs them asks
   * again. A later answer may rest on the earlier one, and another lab may change the node between the two.
   */
  ask(session: SshSession, questions: readonly Question[], signal: AbortSignal): Promise<void>;
  take(question: Question): Answer | undefined;
  has(question: Question): boolean;
  /** Something may have changed on the node. */
  forget(): void;
}

const limitMs = 90_000;

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
        const [said, code] = parts.slice(2 * index, 2 * index + 2);
        if (said === undefined || code !== '0') return;
        known.set(question, { code: 0, signal: null, stdout: said, stderr: '', asked, answered });
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
