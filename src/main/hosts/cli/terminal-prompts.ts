/** Answers the app's questions on the terminal; where there is none, gives up at once instead of hanging. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { AnyEvent } from '../../../shared/api.ts';
import type { Prompt, PromptAnswer } from '../../../shared/prompts.ts';

export interface Asker {
  /** Shows the question and reads a line; `hidden` does not echo it. */
  ask(question: string, hidden: boolean): Promise<string>;
}

/** Standard input and error; standard output stays clean for the result. */
export function terminalAsker(): Asker | undefined {
  if (!process.stdin.isTTY) return undefined;
  return {
    async ask(question, hidden) {
      process.stderr.write(question);
      const output = new Writable({
        write(chunk: Buffer, _encoding, done) {
          if (!hidden) process.stderr.write(chunk);
          done();
        },
      });
      const lines = createInterface({ input: process.stdin, output, terminal: true });
      try {
        return await lines.question('');
      } finally {
        lines.close();
        if (hidden) process.stderr.write('\n');
      }
    },
  };
}

async function answerOne(prompt: Prompt, asker: Asker): Promise<PromptAnswer> {
  const wasWrong = 'again' in prompt && prompt.again === true ? 'the last one was wrong; ' : '';
  const who = `${prompt.nodeName} (${prompt.host})`;
  switch (prompt.kind) {
    case 'host-key': {
      const known = (prompt.knownOther ?? []).map(
        ({ keyType, fingerprint, place }) => `known already: ${keyType} ${fingerprint} (${place})`,
      );
      const skipped = (prompt.skippedLines ?? []).map((line) => `skipped, cannot be read: ${line}`);
      const more = [...known, ...skipped].map((line) => `  ${line}\n`).join('');
      const said = await asker.ask(
        `${who}: unknown host key\n  ${prompt.keyType} ${prompt.fingerprint}\n${more}Trust it? [yes/no] `,
        false,
      );
      return { kind: /^y(es)?$/i.test(said.trim()) ? 'accept' : 'refuse' };
    }
    case 'password':
    case 'sudo':
      return {
        kind: 'secret',
        secret: await asker.ask(`${who}: ${wasWrong}password of ${prompt.user}: `, true),
        remember: true,
      };
    case 'consent': {
      const list = prompt.changes.map(({ what, command }) => `  ${what.en}\n    ${command}\n`).join('');
      const files = (prompt.files ?? [])
        .map(
          ({ path, bytes, kind, sha256 }) =>
            `  sent from this computer: ${path} (${kind}, ${bytes} bytes)\n    SHA-256 ${sha256}\n`,
        )
        .join('');
      const said = await asker.ask(
        `${who}: Ringlab would change this node:\n${list}${files}Allow it? [yes/no] `,
        false,
      );
      return { kind: /^y(es)?$/i.test(said.trim()) ? 'accept' : 'refuse' };
    }
    case 'weak-algorithms': {
      const list = prompt.algorithms.map(({ name, why }) => `  ${name}: ${why.en}\n`).join('');
      const said = await asker.ask(
        `${who}: offers weak algorithms only\n${list}Allow them for this host? [yes/no] `,
        false,
      );
      return { kind: /^y(es)?$/i.test(said.trim()) ? 'accept' : 'refuse' };
    }
    case 'lend': {
      const said = await asker.ask(
        `${who}: the lab says that this node has no internet connection. Let its downloads go through this computer’s? [yes/no] `,
        false,
      );
      return { kind: /^y(es)?$/i.test(said.trim()) ? 'accept' : 'refuse' };
    }
    case 'passphrase':
      return {
        kind: 'secret',
        secret: await asker.ask(`${who}: ${wasWrong}passphrase of ${prompt.keyFile}: `, true),
        remember: true,
      };
    case 'bucket-key':
      return {
        kind: 'secret',
        secret: await asker.ask(
          `${prompt.host}: secret access key of ${prompt.accessKeyId} for the bucket ${prompt.bucket}: `,
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

/**
 * Watches for questions and answers them one after the other.
 * @param acceptNewHostKeys `--accept-new-host-keys`: trust keys never seen, as OpenSSH's accept-new does; changed ones are still refused,
 *   and so is a key of a new type where another is known
 */
export function answerOnTerminal(options: {
  subscribe: (listener: (event: AnyEvent) => void) => () => void;
  answer: (promptId: string, answer: PromptAnswer) => void;
  asker: Asker | undefined;
  acceptNewHostKeys: boolean;
  /** `--yes`: packages, drivers and reboots without a question; each is still listed in the node's log. */
  allowChanges: boolean;
  /** `--lend-internet`: nodes for which the lab says so may use this computer's connection. */
  allowLending: boolean;
}): () => void {
  let queue = Promise.resolve();
  return options.subscribe((event) => {
    if (event.name !== 'prompt.asked') return;
    const { prompt } = event.data;
    queue = queue.then(async () => {
      const answer: PromptAnswer =
        (prompt.kind === 'host-key' && prompt.knownOther === undefined && options.acceptNewHostKeys) ||
        (prompt.kind === 'consent' && options.allowChanges) ||
        (prompt.kind === 'lend' && options.allowLending)
          ? { kind: 'accept' }
          : options.asker === undefined
            ? { kind: 'refuse' }
            : await answerOne(prompt, options.asker);
      // It may have timed out or been cancelled while the person typed.
      try {
        options.answer(prompt.id, answer);
      } catch {
        process.stderr.write('(too late: the question was closed)\n');
      }
    });
  });
}
