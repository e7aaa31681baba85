/** Logs in: tries each credential once, and asks the user each question once. */
import type { AnyAuthMethod, ParsedKey, Prompt as ServerPrompt } from 'ssh2';
import { RinglabError } from '../../../shared/base/errors.ts';
import { isPhrase, linesOf, type Phrase } from '../../../shared/base/phrase.ts';
import { phrase } from '../../i18n/index.ts';
import type { PromptAnswer, Question } from '../../../shared/contract/prompts.ts';
import { loginSocket, openAgent } from './agent.ts';
import type { SshHop } from '../contract.ts';
import { parsePrivateKey, readKeyFile, type KeyFile } from './key-file.ts';
import type { LoginQueue } from './login-queue.ts';
import { asksForPassword } from './password-prompt.ts';
import type { Prompter } from './prompter.ts';
import { passphraseKey, passwordKey, type SecretMemory } from './secret-memory.ts';
import type { UnlockedKeys } from './unlocked-keys.ts';
import { certified, describeCertificate, readUserCertificate } from './user-certificate.ts';

const maxRounds = 10;
/** Of certificates in the message of a refusal. */
const maxShown = 10;
/** Attempts for a passphrase; they are checked locally. */
const maxPassphraseAttempts = 3;

/** The connection that a question belongs to. */
export interface Asker {
  readonly labId: string;
  readonly nodeId: string;
  readonly nodeName: string;
}

export interface LoginServices {
  readonly prompter: Prompter;
  readonly secrets: SecretMemory;
  readonly unlocked: UnlockedKeys;
  /** The user's home folder, for `~/` in key paths. */
  readonly home: string;
  /**
   * Serialises questions about a secret or a new host key: the answer for one node is used for others with the same
   * account, key or host, and a wrong password is never sent twice.
   */
  readonly turns: LoginQueue;
  /** The agent's socket, if any. */
  readonly agentSocket: string | undefined;
}

/** The authentication methods of one connection. */
export interface AuthSequence {
  /**
   * The next method to try; throws the final error: `auth_failed`, `auth_no_method`, `key_passphrase`, ….
   * @param accepted methods that the server accepts; undefined before the first answer
   * @param partial the last credential was accepted, and another is required
   */
  next(accepted: readonly string[] | undefined, partial: boolean): Promise<AnyAuthMethod>;
}

/** Spans several connections: where the server timed out during a question, the answers are used for the next. */
export interface Login {
  /** @param fail closes the connection with an error raised inside a prompt */
  begin(fail: (error: unknown) => void, asking: Asking): AuthSequence;
  /** The login succeeded: the secrets can be kept. */
  proven(): Promise<void>;
  /** The login has ended, with or without success: others that wait for the same account's password may continue. */
  settled(): void;
  /** Certificates that were offered, or why not; for the message of a refusal. */
  certificates(): Phrase | undefined;
  /** For errors: `password`, `key`, `agent`. */
  readonly method: string;
}

/** Wraps every question to the user while it is open. */
type Asking = <T>(question: Promise<T>) => Promise<T>;
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
  // As ssh(1): PAM cannot ask for a second factor in `password`, and refuses it there.
  const first: readonly Tried[] =
    method === 'password' ? ['keyboard-interactive', 'password'] : ['publickey'];
  /** Methods that may follow an accepted but insufficient credential. */
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
    await services.secrets.refused(name);
  };
  const again = (name: string): { again?: true } =>
    services.secrets.wasRefused(name) ? { again: true } : {};
  const unbounded = signal ?? new AbortController().signal;

  let settle = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    settle = resolve;
  });
  let isInTurn = false;
  /** No other login tries this account's password until this one has ended, so that a wrong one is sent only once. */
  const takeTurn = async (name: string): Promise<void> => {
    if (isInTurn || services.secrets.isProven(name)) return;
    isInTurn = true;
    await new Promise<void>((entered, refused) => {
      const wait = async (): Promise<void> => {
        entered();
        await over;
      };
      services.turns.take(name, unbounded, wait).catch(refused);
    });
  };
  const password = async (asking: Asking): Promise<string> => {
    const name = passwordKey(hop);
    return await asking(
      takeTurn(name).then(
        async () =>
          (await knownSecret(name)) ??
          (await askSecret(name, { ...asker, kind: 'password', host, user, ...again(name) })),
      ),
    );
  };

  const privateKey = async (asking: Asking): Promise<ParsedKey> => {
    if (authentication.method === 'app-key') return parsePrivateKey('Ringlab', authentication.privateKey);
    if (keyFile === undefined) throw new RinglabError('internal', {}, { detail: 'no key to log in with' });
    if (keyFile.key !== undefined) return keyFile.key;
    const file = keyFile;
    const name = passphraseKey(file.path);
    /** A passphrase is verified by the key alone: it is kept at once, so that the user is not asked again. */
    const unlock = async (): Promise<ParsedKey> => {
      const unlocked = services.unlocked.get(file.path, file.digest);
      if (unlocked !== undefined) return unlocked;
      for (let attempt = 1; ; attempt += 1) {
        const question: Question = { ...asker, kind: 'passphrase', host, keyFile: file.path, ...again(name) };
        const passphrase = (await knownSecret(name)) ?? (await askSecret(name, question));
        try {
          const key = file.unlock(passphrase);
          services.unlocked.keep(file.path, file.digest, key);
          await services.secrets.keep(name, passphrase, held.get(name)?.remember ?? false);
          return key;
        } catch (error) {
          await drop(name);
          const isWrong = error instanceof RinglabError && error.code === 'key_passphrase';
          if (!isWrong || attempt >= maxPassphraseAttempts) throw error;
        }
      }
    };
    return await asking(services.turns.take(name, unbounded, unlock));
  };

  const noMethod = (accepted: readonly string[]): RinglabError =>
    new RinglabError('auth_no_method', { host, accepted: accepted.join(', '), method }, { where });

  const now = Date.now() / 1000;
  /** For the message of a refusal: certificates that were offered, or why not. */
  let shown: readonly Phrase[] = [];
  const certificates = (): Phrase | undefined =>
    shown.length === 0 ? undefined : linesOf(shown.slice(0, maxShown));
  const agentMethod = async (): Promise<AnyAuthMethod> => {
    const socket = loginSocket(authentication, services);
    const { agent, certificates: inAgent } = await openAgent(socket, user, now);
    shown = inAgent;
    return { type: 'agent', username: user, agent };
  };

  /** The certificate beside the key is tried first, then the plain key. */
  const keysOf = async (key: ParsedKey): Promise<ParsedKey[]> => {
    if (keyFile === undefined) return [key];
    const certificate = await readUserCertificate(keyFile.fullPath);
    if (certificate === undefined) return [key];
    if (isPhrase(certificate)) {
      shown = [certificate];
      return [key];
    }
    const withIt = certified(key, certificate);
    const words = describeCertificate(certificate, user, now);
    shown = [
      withIt === undefined ? phrase('reasons.userCertificate.otherKey', { certificate: words }) : words,
    ];
    return withIt === undefined ? [key] : [withIt, key];
  };

  function begin(fail: (error: unknown) => void, asking: Asking): AuthSequence {
    const tried = new Set<Tried>();
    let last: Tried | 'none' = 'none';
    let isPasswordAccepted = false;
    /** Keys still to be tried. */
    let keysLeft: ParsedKey[] = [];
    let rounds = 0;

    const answerServer = async (
      title: string,
      instructions: string,
      prompts: readonly ServerPrompt[],
    ): Promise<string[]> => {
      rounds += 1;
      if (rounds > maxRounds) throw new RinglabError('auth_failed', { host, user, method }, { where });
      // Many servers ask for the password only in this way (PAM).
      if (authentication.method === 'password' && asksForPassword(prompts) && !tried.has('password')) {
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
      if (authentication.method === 'agent') return await agentMethod();
      const [firstKey, ...others] = await keysOf(await privateKey(asking));
      if (firstKey === undefined) throw noMethod(accepted);
      keysLeft = others;
      return { type: name, username: user, key: firstKey };
    };

    return {
      async next(accepted, partial) {
        if (accepted === undefined) {
          // Asks which methods are accepted; OpenSSH does not count it as an attempt.
          last = 'none';
          return { type: 'none', username: user };
        }
        if (partial && tried.has('password')) isPasswordAccepted = true;
        const nextKey = last === 'publickey' && !partial ? keysLeft.shift() : undefined;
        if (nextKey !== undefined) return { type: 'publickey', username: user, key: nextKey };
        // Refused without the password, as where the server has nothing to ask by.
        const isUnused = last === 'keyboard-interactive' && method === 'password' && !tried.has('password');
        if (last !== 'none' && !partial && !(isUnused && accepted.includes('password'))) {
          if (tried.has('password') && !isPasswordAccepted) await drop(passwordKey(hop));
          throw new RinglabError(
            'auth_failed',
            { host, user, method: last === 'publickey' ? method : last },
            { where, detail: certificates() },
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
    settled: () => settle(),
    certificates,
    async proven() {
      for (const [name, { value, remember }] of held) await services.secrets.keep(name, value, remember);
    },
  };
}
