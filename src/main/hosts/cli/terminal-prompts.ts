/** Answers the app's questions on the terminal; without one it cancels at once instead of hanging. */
import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import { createSerialQueue } from '../../base/serial-queue.ts';
import { isCancelled } from '../../../shared/base/errors.ts';
import type { LabApi } from '../../../shared/contract/api.ts';
import type { Prompt, PromptAnswer } from '../../../shared/contract/prompts.ts';
import { openQuestion, typedLine } from '../terminal-door.ts';
import { inLanguage, speak } from './speak.ts';

export interface Asker {
  /**
   * Shows the question and reads a line; `hidden` does not echo it. Rejects with an AbortError where the user gives up or
   * `signal` aborts: with `Interrupted` on Ctrl+C.
   */
  ask(question: string, hidden: boolean, signal?: AbortSignal): Promise<string>;
}

/** Ctrl+C at a question. */
export class Interrupted extends Error {
  override readonly name = 'AbortError';
}

/** Uses standard input and error; standard output is for the result only. */
export function terminalAsker(
  input: Readable & { readonly isTTY?: boolean } = process.stdin,
): Asker | undefined {
  if (input.isTTY !== true) return undefined;
  return {
    async ask(question, hidden, signal) {
      const closeQuestion = openQuestion();
      process.stderr.write(question);
      const lines = createInterface({ input, output: typedLine(hidden), terminal: true });
      const interrupted = new AbortController();
      lines.once('SIGINT', () => interrupted.abort());
      const ends = signal === undefined ? [interrupted.signal] : [interrupted.signal, signal];
      let typed = false;
      try {
        const line = await lines.question('', { signal: AbortSignal.any(ends) });
        typed = true;
        return line;
      } catch (error) {
        throw interrupted.signal.aborted ? new Interrupted() : error;
      } finally {
        lines.close();
        if (hidden || !typed) process.stderr.write('\n');
        closeQuestion();
      }
    },
  };
}

/** Which question nobody could be asked, and what answers it beforehand. */
function unasked(prompt: Prompt): string {
  const who = `${prompt.nodeName} (${prompt.host})`;
  switch (prompt.kind) {
    case 'host-key':
      // A changed one is accepted by no option.
      return speak(prompt.knownOther === undefined ? 'cli.unasked.hostKey' : 'cli.unasked.changedKey', {
        who,
      });
    case 'consent':
      return speak('cli.unasked.consent', { who });
    case 'lend':
      return speak('cli.unasked.lend', { who });
    case 'password':
    case 'passphrase':
    case 'interactive':
      return speak('cli.unasked.login', { who });
    case 'weak-algorithms':
    case 'sudo':
    case 'bucket-key':
    case 'script-variable':
      return speak('cli.unasked.other', { who });
  }
}

async function answerOne(prompt: Prompt, terminal: Asker, signal: AbortSignal): Promise<PromptAnswer> {
  const asker = {
    ask: (question: string, hidden: boolean): Promise<string> => terminal.ask(question, hidden, signal),
  };
  const wasWrong = 'again' in prompt && prompt.again === true ? speak('cli.ask.wrong') : '';
  const who = `${prompt.nodeName} (${prompt.host})`;
  switch (prompt.kind) {
    case 'host-key': {
      const known = (prompt.knownOther ?? []).map(({ keyType, fingerprint, place }) =>
        speak('cli.ask.known', { keyType, fingerprint, place }),
      );
      const skipped = (prompt.skippedLines ?? []).map((line) => speak('cli.ask.skipped', { line }));
      const more = [...known, ...skipped].map((line) => `  ${line}\n`).join('');
      const reply = await asker.ask(
        `${speak('cli.ask.hostKey', { who })}\n  ${prompt.keyType} ${prompt.fingerprint}\n${more}${speak('cli.ask.trust')} [yes/no] `,
        false,
      );
      return { kind: /^y(es)?$/i.test(reply.trim()) ? 'accept' : 'refuse' };
    }
    case 'password':
    case 'sudo':
      return {
        kind: 'secret',
        secret: await asker.ask(speak('cli.ask.password', { who, wrong: wasWrong, user: prompt.user }), true),
        remember: true,
      };
    case 'consent': {
      const list = prompt.changes
        .map(({ what, command }) => `  ${inLanguage(what)}\n    ${command}\n`)
        .join('');
      const files = (prompt.files ?? [])
        .map(
          ({ path, bytes, kind, sha256 }) =>
            `  ${speak('cli.ask.sent', { path, kind, bytes })}\n    SHA-256 ${sha256}\n`,
        )
        .join('');
      const reply = await asker.ask(
        `${speak(`cli.ask.${prompt.purpose === 'prepare' ? 'change' : prompt.purpose}`, { who })}\n${list}${files}${speak('cli.ask.allow')} [yes/no] `,
        false,
      );
      return { kind: /^y(es)?$/i.test(reply.trim()) ? 'accept' : 'refuse' };
    }
    case 'weak-algorithms': {
      const list = prompt.algorithms.map(({ name, why }) => `  ${name}: ${inLanguage(why)}\n`).join('');
      const reply = await asker.ask(
        `${speak('cli.ask.weak', { who })}\n${list}${speak('cli.ask.allowWeak')} [yes/no] `,
        false,
      );
      return { kind: /^y(es)?$/i.test(reply.trim()) ? 'accept' : 'refuse' };
    }
    case 'lend': {
      const reply = await asker.ask(`${speak('cli.ask.lend', { who })} [yes/no] `, false);
      return { kind: /^y(es)?$/i.test(reply.trim()) ? 'accept' : 'refuse' };
    }
    case 'passphrase':
      return {
        kind: 'secret',
        secret: await asker.ask(
          speak('cli.ask.passphrase', { who, wrong: wasWrong, file: prompt.keyFile }),
          true,
        ),
        remember: true,
      };
    case 'bucket-key':
      return {
        kind: 'secret',
        secret: await asker.ask(
          speak('cli.ask.bucketKey', { host: prompt.host, key: prompt.accessKeyId, bucket: prompt.bucket }),
          true,
        ),
        remember: true,
      };
    case 'script-variable':
      return {
        kind: 'secret',
        secret: await asker.ask(
          speak('cli.ask.scriptVariable', { lab: prompt.nodeName, name: prompt.variable }),
          true,
        ),
        remember: true,
      };
    case 'interactive': {
      if (prompt.instructions !== '') process.stderr.write(`${prompt.instructions}\n`);
      const answers: string[] = [];
      for (const { text, echo } of prompt.prompts) answers.push(await asker.ask(`${who}: ${text} `, !echo));
      return { kind: 'answers', answers };
    }
  }
}

export interface AnswerOptions {
  readonly api: LabApi;
  readonly asker: Asker | undefined;
  /** The command works with this lab: its options apply to it. */
  isOurs(labId: string): boolean;
  /** Otherwise the question is left to other windows. */
  mayAsk(labId: string): boolean;
  /** No other client can answer: a question that the terminal cannot answer is cancelled at once. */
  mayRefuse(): boolean;
  /** What Ctrl+C does while no question is open. */
  interrupt(): void;
  /**
   * `--accept-new-host-keys`: trust unknown keys, as OpenSSH's accept-new does; changed ones are still refused, and
   * so is a key of a new type where another is known
   */
  readonly acceptNewHostKeys: boolean;
  /** `--yes`: packages, drivers and reboots without a question; each is still in the node's log. */
  readonly allowChanges: boolean;
  /** `--lend-internet`: nodes with this setting in the lab may use this computer's connection. */
  readonly allowLending: boolean;
}

export interface Answering {
  /** Checks open questions again, after `isOurs` has changed. */
  again(): void;
  stop(): void;
}

/** Answers questions one after another; one that is answered elsewhere is withdrawn. */
export function answerOnTerminal(options: AnswerOptions): Answering {
  const { api, asker } = options;
  const open = new Map<string, { prompt: Prompt; taken: boolean; closed: AbortController }>();
  const inTurn = createSerialQueue();
  const stopped = new AbortController();
  const isOver = (): boolean => stopped.signal.aborted;

  const accepts = (prompt: Prompt): boolean =>
    options.isOurs(prompt.labId) &&
    ((prompt.kind === 'host-key' && prompt.knownOther === undefined && options.acceptNewHostKeys) ||
      (prompt.kind === 'consent' && options.allowChanges) ||
      (prompt.kind === 'lend' && options.allowLending));
  const answerTo = async (prompt: Prompt, closed: AbortSignal): Promise<PromptAnswer | undefined> => {
    if (accepts(prompt)) return { kind: 'accept' };
    if (asker !== undefined)
      return options.mayAsk(prompt.labId) ? answerOne(prompt, asker, closed) : undefined;
    if (!options.mayRefuse()) return undefined;
    process.stderr.write(`${unasked(prompt)}\n`);
    return { kind: 'refuse' };
  };
  /** The user gave the question up; undefined where it is left to another window. */
  const givenUp = (error: unknown): PromptAnswer | undefined => {
    if (!(error instanceof Interrupted)) return { kind: 'refuse' };
    options.interrupt();
    return options.mayRefuse() ? { kind: 'refuse' } : undefined;
  };
  const consider = (id: string): void => {
    const entry = open.get(id);
    if (entry === undefined || entry.taken) return;
    const { prompt, closed } = entry;
    if (!accepts(prompt) && !options.mayAsk(prompt.labId)) return;
    entry.taken = true;
    void inTurn(async () => {
      if (isOver() || closed.signal.aborted) return;
      try {
        const answer = await answerTo(prompt, closed.signal).catch((error: unknown) => {
          if (!isCancelled(error) || isOver() || closed.signal.aborted) throw error;
          return givenUp(error);
        });
        if (answer !== undefined) await api.call('prompt.answer', { promptId: id, answer });
      } catch {
        // It may have timed out, been cancelled or answered in a window while the user typed.
        if (!isOver()) process.stderr.write(`${speak('cli.ask.closed')}\n`);
      }
    });
  };
  const asked = (prompt: Prompt): void => {
    if (open.has(prompt.id)) return;
    open.set(prompt.id, { prompt, taken: false, closed: new AbortController() });
    consider(prompt.id);
  };
  const unsubscribe = api.subscribe((event) => {
    if (event.name === 'prompt.asked') asked(event.data.prompt);
    else if (event.name === 'prompt.closed') {
      const { promptId } = event.data;
      open.get(promptId)?.closed.abort();
      open.delete(promptId);
    }
  });
  // Questions that were already open.
  api.call('prompt.list', {}).then(
    (prompts) => prompts.forEach(asked),
    () => undefined,
  );
  return {
    again: () => [...open.keys()].forEach(consider),
    stop() {
      stopped.abort();
      unsubscribe();
      for (const { closed } of open.values()) closed.abort();
    },
  };
}
