/** Who we say we are, and how we prove it: one attempt a credential, each question to the person asked once. */
import ssh2, { type AnyAuthMethod, type ParsedKey, type Prompt as ServerPrompt } from 'ssh2';
import { RinglabError } from '../../shared/errors.ts';
import type { PromptAnswer, Question } from '../../shared/prompts.ts';
import type { SshHop } from './contract.ts';
import { parsePrivateKey, readKeyFile, type KeyFile } from './key-file.ts';
import type { Prompter } from './prompter.ts';
import { passphraseKey, passwordKey, type SecretMemory } from './secret-memory.ts';

const { createAgent } = ssh2;
const mostRounds = 10;

/** Whose connection a question is about. */
export interface Asker {
  readonly labId: string;
  readonly nodeId: string;
  readonly nodeName: string;
}

export interface LoginServices {
  readonly prompter: Prompter;
  readonly secrets: SecretMemory;
  /** The person's home folder, for `~/` in key paths. */
  readonly home: string;
  /** The agent's socket, where there is one. */
  readonly agentSocket: string | undefined;
}

/** The questions and answers of one connection. */
export interface AuthSequence {
  /**
   * The next method to try; throws what ends the login: `auth_failed`, `auth_no_method`, `key_passphrase`, ….
   * @param accepted what the server goes on with; undefined before the first answer
   * @param partial the last credential was right, and another is wanted
   */
  next(accepted: readonly string[] | undefined, partial: boolean): Promise<AnyAuthMethod>;
}

/** Outlives one connection: where the server gave up waiting for the person, the answers serve the next. */
export interface Login {
  /**
   * @param fail ends the connection with an error met inside a prompt
   */
  begin(fail: (error: unknown) => void, asking: Asking): AuthSequence;
  /** The server let us in: secrets are worth keeping. */
  proven(): Promise<void>;
  /** In words for errors: `password`, `key`, `agent`. */
  readonly method: string;
}

/** Told of every question to the person while it is open. */
export type Asking = <T>(question: Promise<T>) => Promise<T>;
type Tried = 'password' | 'publickey' | 'keyboard-interactive';

interface Secret {
  readonly value: string;
  readonly remember: boolean;
}

/** Throws `key_unreadable` before anything is sent. */
export async function createLogin(
  hop: SshHop,
  asker: Asker,
  services: LoginServices,
  signal: AbortSignal | undefined,
): Promise<Login> {
  const { authentication, host, user } = hop;
  const method = authentication.method === 'app-key' ? 'key' : authentication.method;
  const where = asker.nodeName;
  const keyFile: KeyFile | undefined =
    authentication.method === 'key' ? await readKeyFile(authentication.keyFile, services.home) : undefined;
  const held = new Map<string, Secret>();
  const first: readonly Tried[] =
    method === 'password' ? ['password', 'keyboard-interactive'] : ['publickey'];
  /** What may follow a credential that was right but not enough. */
  const further: readonly Tried[] = ['publickey', 'keyboard-interactive', 'password'].filter(
    (name): name is Tried => name !== 'publickey' || method !== 'password',
  );

  const ask = (question: Question): Promise<PromptAnswer> => services.prompter.ask(question, signal);
  const knownSecret = async (name: string): Promise<string | undefined> => {
    const known = held.get(name)?.value ?? (await services.secrets.get(name));
    if (known !== undefined) {
      held.set(name, { value: known, remember: held.get(name)?.remember ?? false });
    }
    return known;
  };
  const askSecret = async (name: string, question: Question): Promise<string> => {
    const answer = await ask(question);
    if (answer.kind !== 'secret') throw new RinglabError('prompt_unanswered', { host }, { where });
    held.set(name, { value: answer.secret, remember: answer.remember });
    return answer.secret;
  };
  const drop = async (name: string): Promise<void> => {
    held.delete(name);
    await services.secrets.forget(name);
  };

  const password = async (asking: Asking): Promise<string> => {
    const name = passwordKey(hop);
    return (
      (await knownSecret(name)) ?? (await asking(askSecret(name, { ...asker, kind: 'password', host, user })))
    );
  };

  const privateKey = async (asking: Asking): Promise<ParsedKey> => {
    if (authentication.method === 'app-key') return parsePrivateKey('app key', authentication.privateKey);
    if (keyFile === undefined) throw new RinglabError('internal', {}, { detail: 'no key to log in with' });
    if (keyFile.key !== undefined) return keyFile.key;
    const name = passphraseKey(keyFile.path);
    const question: Question = { ...asker, kind: 'passphrase', host, keyFile: keyFile.path };
    const passphrase = (await knownSecret(name)) ?? (await asking(askSecret(name, question)));
    try {
      return keyFile.unlock(passphrase);
    } catch (error) {
      await drop(name);
      throw error;
    }
  };

  const noMethod = (accepted: readonly string[], detail?: string): RinglabError =>
    new RinglabError('auth_no_method', { host, accepted: accepted.join(', '), method }, { where, detail });

  const agentMethod = async (accepted: readonly string[]): Promise<AnyAuthMethod> => {
    if (services.agentSocket === undefined)
      throw noMethod(accepted, 'SSH_AUTH_SOCK is not set: no agent runs');
    const agent = createAgent(services.agentSocket);
    const keys = await new Promise<number>((resolve, reject) =>
      agent.getIdentities((error, list) => (error ? reject(error) : resolve(list?.length ?? 0))),
    ).catch((error: unknown) => {
      throw noMethod(accepted, `the agent does not answer: ${error instanceof Error ? error.message : ''}`);
    });
    if (keys === 0) throw noMethod(accepted, 'the agent holds no key');
    return { type: 'agent', username: user, agent };
  };

  function begin(fail: (error: unknown) => void, asking: Asking): AuthSequence {
    const tried = new Set<Tried>();
    let last: Tried | 'none' = 'none';
    let rounds = 0;

    const answerServer = async (
      title: string,
      instructions: string,
      prompts: readonly ServerPrompt[],
    ): Promise<string[]> => {
      rounds += 1;
      if (rounds > mostRounds) throw new RinglabError('auth_failed', { host, user, method }, { where });
      const only = prompts.length === 1 ? prompts[0] : undefined;
      const isPassword = only?.echo !== true && /passw/i.test(only?.prompt ?? '');
      // Many servers ask for the password in this way alone (PAM).
      if (authentication.method === 'password' && isPassword && !tried.has('password')) {
        tried.add('password');
        return [await password(asking)];
      }
      const answer = await asking(
        ask({
          ...asker,
          kind: 'interactive',
          host,
          title,
          instructions,
          prompts: prompts.map(({ prompt, echo }) => ({ text: prompt, echo: echo === true })),
        }),
      );
      if (answer.kind !== 'answers') throw new RinglabError('prompt_unanswered', { host }, { where });
      return prompts.map((_, index) => answer.answers[index] ?? '');
    };

    const interactive = (): AnyAuthMethod => ({
      type: 'keyboard-interactive',
      username: user,
      prompt: (title, instructions, _language, prompts, finish) => {
        answerServer(title, instructions, prompts).then(finish, fail);
      },
    });

    const credential = async (name: Tried, accepted: readonly string[]): Promise<AnyAuthMethod> => {
      if (name === 'keyboard-interactive') return interactive();
      if (name === 'password') return { type: name, username: user, password: await password(asking) };
      if (authentication.method === 'agent') return await agentMethod(accepted);
      return { type: name, username: user, key: await privateKey(asking) };
    };

    return {
      async next(accepted, partial) {
        if (accepted === undefined) {
          // Asks what is accepted; OpenSSH does not count it as an attempt.
          last = 'none';
          return { type: 'none', username: user };
        }
        if (last !== 'none' && !partial) {
          if (tried.has('password')) await drop(passwordKey(hop));
          throw new RinglabError(
            'auth_failed',
            { host, user, method: last === 'publickey' ? method : last },
            { where },
          );
        }
        const order = partial ? further : first;
        const name = order.find((each) => accepted.includes(each) && !tried.has(each));
        if (name === undefined) throw noMethod(accepted);
        tried.add(name);
        last = name;
        return await credential(name, accepted);
      },
    };
  }

  return {
    method,
    begin,
    async proven() {
      for (const [name, { value, remember }] of held) await services.secrets.keep(name, value, remember);
    },
  };
}
