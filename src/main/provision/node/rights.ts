/**
 * Changes outside the app's own folder: asks for consent, and runs commands as root. The sudo password is asked for
 * when needed, sent to sudo's standard input, and kept only in memory.
 */
import { RinglabError } from '../../../shared/base/errors.ts';
import { changedLine } from '../../../shared/base/phrase.ts';
import { oneLine } from '../../../shared/base/plain-text.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { throwIfAborted, unlessAborted } from '../../base/abort.ts';
import { createKeyedQueue } from '../../base/serial-queue.ts';
import { lastWords, shellQuote, type ExecResult, type Prompter, type SshSession } from '../../ssh/index.ts';
import type { RunnableChange } from './planned-change.ts';
import { throughInput } from './lending.ts';
import type { CommandOptions, NodeShell } from './node-shell.ts';
import { machineOf } from './trainer-origin.ts';

/** What a consent allows. Each is asked once for a machine and remembered; reboot and removal are asked every time. */
type ConsentKind = 'packages' | 'driver' | 'tunnel' | 'reboot' | 'remove' | 'lend';

/** Stores consents: lines of text by a machine id that includes its verified host key. */
export interface ConsentMemory {
  get(machine: string): Promise<string | undefined>;
  set(machine: string, kinds: string): Promise<void>;
}

/** A local file that a consent includes. */
export interface DriverFile {
  /** Absolute, on this computer. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly kind: 'NVIDIA .run' | 'Debian .deb';
}

export interface NodeRights {
  /**
   * Resolves when the user has allowed these changes on this machine, now or before.
   * @param file local file that is sent for it: the consent is valid for this content only
   * @throws consent_refused; nothing was changed
   */
  allow(
    kind: ConsentKind,
    changes: readonly RunnableChange[],
    signal: AbortSignal,
    file?: DriverFile,
  ): Promise<void>;
  /**
   * Resolves when the user has allowed this machine to use this computer's internet connection, now or before.
   * @throws lending_refused
   */
  allowLending(signal: AbortSignal): Promise<void>;
  /**
   * Runs a script as root: directly, with `sudo -n`, or with sudo and the user's password. Never throws for a
   * non-zero exit.
   * @throws node_needs_root where none is possible, sudo_refused after three wrong passwords
   */
  root(shell: NodeShell, facts: NodeFacts, script: string, options: CommandOptions): Promise<ExecResult>;
  /** Deletes the consents and the sudo password of this machine. */
  forget(): Promise<void>;
}

/** The session's machine: a consent belongs to the machine, not to its address. */
type Reached = Pick<SshSession, 'target' | 'hostKey'>;

export interface Rights {
  of(session: Reached): NodeRights;
}

export interface RightsOptions {
  readonly prompter: Prompter;
  readonly memory: ConsentMemory;
}

const passwordTries = 3;
/** No password helps: not in sudoers, or `requiretty`. */
const neverAllowed =
  /not in the sudoers|may not run sudo|not allowed|must have a tty|no tty present|a terminal is required/i;

/** In memory only: for hosts without a store. */
export function forgetfulMemory(): ConsentMemory {
  const kinds = new Map<string, string>();
  return {
    get: (machine) => Promise.resolve(kinds.get(machine)),
    set: (machine, value) => Promise.resolve(void kinds.set(machine, value)),
  };
}

export function createRights({ prompter, memory }: RightsOptions): Rights {
  /** sudo passwords by machine, until the app closes. */
  const passwords = new Map<string, string>();
  /** One question about a machine at a time: its answer may hold for the nodes that wait, as those of this computer. */
  const inTurn = createKeyedQueue();
  const askInTurn = <T>(id: string, signal: AbortSignal, ask: () => Promise<T>): Promise<T> =>
    unlessAborted(
      inTurn(id, async () => {
        throwIfAborted(signal);
        return await ask();
      }),
      signal,
    );
  return {
    of(session) {
      const { target } = session;
      // A node keeps its consent when it is drawn again, but not with another address or host key.
      const machine = machineOf(session).id;
      const where = {
        labId: target.labId,
        nodeId: target.nodeId,
        nodeName: target.nodeName,
        host: target.host,
      };
      const check = (shell: NodeShell, signal: AbortSignal, secret: string): Promise<ExecResult> =>
        shell.session.exec(`sudo -k -S -p '[password of %p]' -v`, { signal, stdin: `${secret}\n` });
      const password = async (shell: NodeShell, facts: NodeFacts, script: string): Promise<string> => {
        const { signal } = shell;
        // With `Defaults targetpw` or `rootpw` sudo asks for another user's password, whose name is in its prompt.
        // A local node is logged in to by a name that is no account's.
        let user = target.thisComputer === true && facts.user !== '' ? facts.user : target.user;
        let output = '';
        for (let attempt = 0; attempt < passwordTries; attempt += 1) {
          const answer = await prompter.ask({ kind: 'sudo', user, again: attempt > 0, ...where }, signal);
          if (answer.kind !== 'secret')
            throw new RinglabError('node_needs_root', { command: `sudo ${inBrief(script)}` });
          const tried = await check(shell, signal, answer.secret);
          if (tried.code === 0) {
            passwords.set(machineOf(shell.session).id, answer.secret);
            return answer.secret;
          }
          user = oneLine(64).safeParse(/\[password of ([^\]%]+)\]/.exec(tried.stderr)?.[1]).data ?? user;
          output = lastWords({ ...tried, stderr: tried.stderr.replaceAll(/\[password of [^\]]*\]/g, '') });
          if (neverAllowed.test(tried.stderr)) break;
        }
        throw new RinglabError(
          'sudo_refused',
          { user, command: `sudo ${inBrief(script)}` },
          { detail: output },
        );
      };
      const allowed = async (): Promise<string[]> => ((await memory.get(machine)) ?? '').split(' ');
      /** Only the last file: a machine has one driver. */
      const remember = async (consent: ConsentKind | `${ConsentKind}:${string}`): Promise<void> => {
        const [kind] = consent.split(':', 1);
        const kept = (await allowed()).filter((one) => one === kind || !one.startsWith(`${kind ?? ''}:`));
        await memory.set(machine, [...kept, consent].join(' ').trim());
      };
      return {
        allowLending: (signal) =>
          askInTurn(machine, signal, async () => {
            if ((await allowed()).includes('lend')) return;
            const answer = await prompter.ask({ kind: 'lend', ...where }, signal);
            if (answer.kind !== 'accept') throw new RinglabError('lending_refused', {});
            await remember('lend');
          }),
        async allow(kind, changes, signal, file) {
          if (changes.length === 0) return;
          const consent = file === undefined ? kind : (`${kind}:${file.sha256}` as const);
          const files = file === undefined ? {} : { files: [file] };
          await askInTurn(machine, signal, async () => {
            if ((await allowed()).includes(consent)) return;
            const answer = await prompter.ask(
              {
                kind: 'consent',
                purpose: kind === 'reboot' || kind === 'remove' ? kind : 'prepare',
                changes: changes.map(({ what, command }) => ({ what, command })),
                ...files,
                ...where,
              },
              signal,
            );
            if (answer.kind !== 'accept') {
              const [first] = changes;
              throw new RinglabError('consent_refused', {
                what: first?.what ?? '',
                command: changes.map(({ command, byHand }) => byHand ?? command).join('\n'),
              });
            }
            if (kind !== 'reboot' && kind !== 'remove') await remember(consent);
          });
        },
        async forget() {
          passwords.delete(machine);
          await memory.set(machine, '');
        },
        async root(shell, facts, script, options) {
          if (facts.root) return await shell.exec(script, options);
          const label = options.label ?? script;
          if (facts.sudo === 'none') throw new RinglabError('node_needs_root', { command: inBrief(script) });
          const asRoot = async (secret?: string, address?: string): Promise<ExecResult> => {
            // The script must not read the password or the address from its standard input.
            const own = `exec </dev/null\n${script}`;
            const wrapped = shellQuote(address === undefined ? own : throughInput(own));
            return await shell.exec(`sudo ${secret === undefined ? '-n' : "-S -p ''"} sh -c ${wrapped}`, {
              ...options,
              online: false,
              label: changedLine(label, (text) => `${secret === undefined ? 'sudo -n' : 'sudo'} ${text}`),
              stdin: [secret, address].flatMap((line) => (line === undefined ? [] : [`${line}\n`])).join(''),
            });
          };
          const run = (secret?: string): Promise<ExecResult> =>
            options.online === true ? shell.lent((address) => asRoot(secret, address)) : asRoot(secret);
          if (facts.sudo === 'passwordless') return await run();
          const { id } = machineOf(shell.session);
          const secretNow = (): Promise<string> =>
            askInTurn(
              id,
              shell.signal,
              async () => passwords.get(id) ?? (await password(shell, facts, script)),
            );
          const kept = passwords.get(id);
          if (kept === undefined) return await run(await secretNow());
          const result = await run(kept);
          // sudo ends with 1 where it refuses, as many commands do: whether the password was changed meanwhile, it says
          // only when asked.
          const isSilent = result.code === 1 && result.stdout === '';
          if (!isSilent || (await check(shell, shell.signal, kept)).code === 0) return result;
          // Another node of this machine may have asked for the new one already.
          if (passwords.get(id) === kept) passwords.delete(id);
          return await run(await secretNow());
        },
      };
    },
  };
}

/** A command line that a user can type. */
const inBrief = (script: string): string =>
  script.includes('\n') ? `sh -c '${script.split('\n').join('; ')}'` : script;
