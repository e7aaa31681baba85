/** The connection pool: one live connection for each node, shared by all callers, created on demand. */
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import { backOffMs, type BackOff } from '../../../shared/base/back-off.ts';
import { fromWireError, isCancelled, RinglabError, toWireError } from '../../../shared/base/errors.ts';
import { jumpHosts } from '../../../shared/lab/access.ts';
import type { ConnectionState } from '../../../shared/node/provision.ts';
import type { SecretStore } from '../../base/platform.ts';
import { throwIfAborted, unlessAborted } from '../../base/abort.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { defaultTiming, type ConnectionServices, type SshTiming } from '../connection/attempt.ts';
import { connectHop } from '../connection/connection.ts';
import type { SshHop, SshPool, SshSession, SshTarget } from '../contract.ts';
import { createHostTrust } from '../trust/host-trust.ts';
import { createJumpLinks, jumpFailed } from '../connection/jump-links.ts';
import { agentSocket } from '../login/agent-socket.ts';
import { createLoginQueue, loginAddress } from '../login/login-queue.ts';
import type { Asker } from '../login/login.ts';
import type { Prompter } from '../login/prompter.ts';
import { createSecretMemory, passphraseKey, passwordKey } from '../login/secret-memory.ts';
import { createUnlockedKeys } from '../login/unlocked-keys.ts';
import { createSession } from './session.ts';
import { openSocket } from '../connection/socket.ts';
import { createTrustStore, type TrustStore } from '../trust/trust-store.ts';
import { isRefusal } from './refusals.ts';

export interface SshPoolOptions {
  readonly prompter: Prompter;
  readonly secrets: SecretStore;
  /** The user's home folder: `~/.ssh/known_hosts` is read there, never written. */
  readonly home: string;
  /** The app's data folder, which contains the trust store. */
  readonly dataFolder: string;
  readonly onState?: (state: ConnectionState) => void;
  readonly clock?: Clock;
  readonly timing?: Partial<SshTiming>;
  /** `agentSocket()` by default. */
  readonly agentSocket?: string | undefined;
  /** `/etc/ssh/ssh_known_hosts` and its sibling by default. */
  readonly systemKnownHosts?: readonly string[];
  /** Back-off for servers that throttle. */
  readonly throttleTimes?: BackOff;
}

export interface SshPoolWithTrust extends SshPool {
  /** The accepted host keys, to list and remove. */
  readonly trust: TrustStore;
  /** Deletes the password, the passphrase and the decrypted key of a target and its jump host. */
  forgetSecrets(target: SshTarget): Promise<void>;
}

/** Maximum number of concurrent logins to an address, so that a lab on one machine stays below its MaxStartups. */
const loginsAtOnce = 4;
/** Attempts at a server that throttles, within one call of `session`. */
const maxThrottledAttempts = 5;
const closeWithinMs = 3000;
const defaultThrottleTimes: BackOff = { firstMs: 2500, maxMs: 30_000 };

interface Entry {
  readonly address: string;
  readonly session: Promise<SshSession>;
  /** Closes it intentionally. */
  end(): Promise<void>;
  /** Callers that wait for it; at zero the attempt is cancelled. */
  waiting: number;
  isConnected: boolean;
}

interface Live {
  readonly session: SshSession;
  readonly client: Client;
}

const nodeKey = (labId: string, nodeId: string): string => `${labId}/${nodeId}`;
/** What a connection depends on: a change means a new connection. */
const addressOf = ({ host, port, user, authentication, pinnedHostKey, jump }: SshTarget): string =>
  JSON.stringify([host, port, user, authentication, pinnedHostKey, jump]);

export function createSshPool(options: SshPoolOptions): SshPoolWithTrust {
  const clock = options.clock ?? systemClock;
  const timing: SshTiming = { ...defaultTiming, ...options.timing };
  const throttleTimes = options.throttleTimes ?? defaultThrottleTimes;
  const trust = createTrustStore(join(options.dataFolder, 'known-hosts.json'));
  const secrets = createSecretMemory(options.secrets);
  const unlocked = createUnlockedKeys();
  const services: ConnectionServices = {
    prompter: options.prompter,
    secrets,
    unlocked,
    turns: createLoginQueue(1),
    home: options.home,
    agentSocket: 'agentSocket' in options ? options.agentSocket : agentSocket(),
    trust: createHostTrust({
      home: options.home,
      store: trust,
      systemFiles: options.systemKnownHosts,
      now: () => clock.now(),
    }),
    timing,
  };
  const logins = createLoginQueue(loginsAtOnce);
  const jumps = createJumpLinks(services, logins);
  const entries = new Map<string, Entry>();
  let isClosed = false;

  const report = (
    target: SshTarget,
    state: ConnectionState['state'],
    error?: unknown,
    retryAt?: number,
  ): void =>
    options.onState?.({
      labId: target.labId,
      nodeId: target.nodeId,
      state,
      since: clock.now() / 1000,
      ...(retryAt === undefined ? {} : { retryAt: retryAt / 1000 }),
      ...(error === undefined ? {} : { error: toWireError(error) }),
    });

  async function connectOnce(
    target: SshTarget,
    signal: AbortSignal,
    isDropped: () => boolean,
  ): Promise<Live> {
    const { host, port, jump, labId, nodeId, nodeName } = target;
    // Only these fields: questions go to every window, and a target may contain a key.
    const asker: Asker = { labId, nodeId, nodeName };
    const link = jump === undefined ? undefined : await jumps.acquire(jump, asker, signal);
    const open = (): Promise<Duplex> =>
      link === undefined ? openSocket(host, port, timing.connectMs, signal) : link.open(host, port, signal);
    try {
      const { client, hostKey } = await connectHop(target, asker, services, open, signal);
      client.once('close', () => link?.release());
      const another = (wanted = new AbortController().signal): Promise<Live> =>
        logins.take(loginAddress(target), wanted, () => connectOnce(target, wanted, () => true));
      const reason = (): RinglabError | undefined => link?.lost();
      const session = createSession(target, { client, hostKey, isDropped, reason, another }, clock);
      return { session, client };
    } catch (error) {
      link?.release();
      throw error;
    }
  }

  /** Retries with back-off at a server that throttles, up to a maximum. */
  async function connect(target: SshTarget, signal: AbortSignal, isDropped: () => boolean): Promise<Live> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await logins.take(loginAddress(target), signal, () => connectOnce(target, signal, isDropped));
      } catch (error) {
        const throttled = throttledBy(error);
        if (throttled === undefined) throw error;
        const { detail } = throttled;
        const { host: at = target.host } = throttled.params;
        const waitMs = backOffMs(attempt, throttleTimes, clock.random());
        const seconds = Math.max(1, Math.ceil(waitMs / 1000));
        const waiting = new RinglabError(
          'connection_throttled',
          { host: at, seconds },
          { where: target.nodeName, detail, cause: error },
        );
        if (attempt >= maxThrottledAttempts) {
          const often = new RinglabError(
            'connection_refused_often',
            { host: at, tries: attempt },
            { where: target.nodeName, detail, cause: error },
          );
          const isOfJump = error instanceof RinglabError && error.code === 'jump_failed';
          throw isOfJump ? jumpFailed(String(error.params.hop), often) : often;
        }
        report(target, 'connecting', waiting, clock.now() + waitMs);
        await clock.sleep(waitMs, signal);
        report(target, 'connecting');
      }
    }
  }

  function start(key: string, target: SshTarget): Entry {
    const ending = new AbortController();
    let live: Live | undefined;
    const leave = (): void => {
      if (entries.get(key) === entry) entries.delete(key);
    };
    /** A replaced connection must not report its node's state. */
    const isCurrent = (): boolean => !entries.has(key);
    report(target, 'connecting');

    const session = connect(target, ending.signal, () => ending.signal.aborted).then(
      (made) => {
        live = made;
        entry.isConnected = true;
        if (ending.signal.aborted) letGo(made.client);
        else report(target, 'connected');
        void made.session.closed.then((reason) => {
          leave();
          if (!isCurrent()) return;
          if (reason === undefined) report(target, 'idle');
          else report(target, 'unreachable', fromWireError(reason));
        });
        return made.session;
      },
      (error: unknown) => {
        const named = error instanceof RinglabError ? error.at(target.nodeName) : error;
        leave();
        if (isCurrent()) {
          if (isCancelled(named)) report(target, 'idle');
          else report(target, isRefusal(named) ? 'refused' : 'unreachable', named);
        }
        throw named;
      },
    );
    session.catch(() => undefined);
    const entry: Entry = {
      address: addressOf(target),
      session,
      waiting: 0,
      isConnected: false,
      async end() {
        leave();
        ending.abort();
        if (live === undefined) await session.catch(() => undefined);
        if (live === undefined) return;
        letGo(live.client);
        // A jump host that does not answer must not delay closing.
        const closed = new AbortController();
        await Promise.race([
          live.session.closed,
          // A pending timer would keep the process alive.
          clock.sleep(closeWithinMs, closed.signal).catch(() => undefined),
        ]);
        closed.abort();
      },
    };
    entries.set(key, entry);
    return entry;
  }

  return {
    trust,
    async session(target, signal) {
      throwIfAborted(signal);
      if (isClosed) throw new RinglabError('cancelled');
      const key = nodeKey(target.labId, target.nodeId);
      let entry = entries.get(key);
      if (entry !== undefined && entry.address !== addressOf(target)) {
        void entry.end();
        entry = undefined;
      }
      entry ??= start(key, target);
      entry.waiting += 1;
      try {
        return await unlessAborted(entry.session, signal);
      } finally {
        entry.waiting -= 1;
        // No caller waits any more: closes the open question, too.
        if (entry.waiting === 0 && !entry.isConnected) void entry.end();
      }
    },
    async forgetSecrets(target) {
      for (const hop of [target, ...jumpHosts<SshHop>(target)]) {
        await secrets.forget(passwordKey(hop));
        if (hop.authentication.method === 'key') {
          await secrets.forget(passphraseKey(hop.authentication.keyFile));
          unlocked.forget(hop.authentication.keyFile);
        }
      }
    },
    drop(labId, nodeId) {
      void entries.get(nodeKey(labId, nodeId))?.end();
    },
    async close() {
      isClosed = true;
      await Promise.all([...entries.values()].map((entry) => entry.end()));
      jumps.close();
      secrets.clear();
      unlocked.close();
    },
  };
}

/** The refusal of a server that throttles: of the node, or of its jump host. */
function throttledBy(error: unknown): RinglabError | undefined {
  if (!(error instanceof RinglabError)) return undefined;
  if (error.code === 'jump_failed') return throttledBy(error.cause);
  return error.code === 'connection_throttled' ? error : undefined;
}

/** Sends a disconnect; where the server does not react, closes the socket. */
function letGo(client: Client): void {
  client.end();
  const timer = setTimeout(() => client.destroy(), 1000);
  client.once('close', () => clearTimeout(timer));
}
