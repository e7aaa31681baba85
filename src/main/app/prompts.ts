/** Questions to the user: shown in every window, closed by the first answer. */
import { randomUUID } from 'node:crypto';
import { RinglabError, notFound } from '../../shared/base/errors.ts';
import type { Prompt, PromptAnswer } from '../../shared/contract/prompts.ts';
import type { EventLog } from '../base/events.ts';
import type { Prompter } from '../ssh/index.ts';

/** An unanswered question must not keep a connection half open for ever. */
const answerWithinMs = 5 * 60_000;
const maxOpen = 200;

export interface Prompts extends Prompter {
  list(): Prompt[];
  /** Throws `not_found` where the question is already closed. */
  answer(promptId: string, answer: PromptAnswer): void;
  /** Cancels every open question. */
  close(): void;
}

export function createPrompts(events: Pick<EventLog, 'emit'>, now: () => number = Date.now): Prompts {
  const open = new Map<string, { prompt: Prompt; settle: (outcome: PromptAnswer | RinglabError) => void }>();
  return {
    list: () => [...open.values()].map(({ prompt }) => prompt),
    ask(question, signal) {
      const unanswered = new RinglabError(
        'prompt_unanswered',
        { host: question.host },
        { where: question.nodeName },
      );
      if (open.size >= maxOpen) return Promise.reject(unanswered);
      const id = randomUUID();
      // A Question with `id` and `askedAt` added is a Prompt of the same kind.
      const prompt = { ...question, id, askedAt: now() / 1000 } as Prompt;
      return new Promise<PromptAnswer>((resolve, reject) => {
        const onAbort = (): void => settle(new RinglabError('cancelled'));
        const timer = setTimeout(() => settle(unanswered), answerWithinMs);
        timer.unref();
        const settle = (outcome: PromptAnswer | RinglabError): void => {
          if (!open.delete(id)) return;
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
          events.emit('prompt.closed', { promptId: id });
          if (outcome instanceof RinglabError) reject(outcome);
          else resolve(outcome);
        };
        open.set(id, { prompt, settle });
        if (signal?.aborted === true) {
          settle(new RinglabError('cancelled'));
          return;
        }
        signal?.addEventListener('abort', onAbort, { once: true });
        events.emit('prompt.asked', { prompt });
      });
    },
    answer(promptId, answer) {
      const asked = open.get(promptId);
      if (asked === undefined) throw notFound('question', promptId);
      asked.settle(answer);
    },
    close() {
      for (const { prompt, settle } of [...open.values()]) {
        settle(new RinglabError('prompt_unanswered', { host: prompt.host }, { where: prompt.nodeName }));
      }
    },
  };
}
