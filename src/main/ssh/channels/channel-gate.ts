/**
 * Limits a connection's concurrent channels. A server does not announce its MaxSessions: the limit starts below
 * OpenSSH's default and adapts to refusals. With one channel left, commands run sequentially, and channels that only
 * watch (`yields`) are closed for them.
 */
import { backOffMs, type BackOff } from '../../../shared/base/back-off.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { phrase } from '../../i18n/index.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { systemClock, type Clock } from '../../base/clock.ts';

/** OpenSSH allows ten. */
const startingLimit = 8;
/** Channels that terminals, which stay open for hours, leave to commands and files. */
const keptForCommands = 3;
/** A server frees a channel shortly after closing it. */
const settlingMs = 500;
const retries: BackOff = { firstMs: 25, maxMs: 1300 };
const giveUpAfterMs = 10_000;
/** Time-out for a server that neither opens nor refuses a channel; a machine that swaps may take long. */
const openWithinMs = 60_000;
/** How long a refused command is retried: about ten times. */
const commandRefusedMs = 4000;
/** Maximum number of waiting commands; more indicates a bug. */
const longestQueue = 10_000;

/** The server refused to open a channel, as opposed to a channel that opened and failed. */
export class ChannelRefused extends Error {}

/**
 * The channel opened, but the server refused to start the command. dropbear does so temporarily while it has many
 * children or cannot fork; another server may allow no commands at all.
 */
export class CommandRefused extends Error {
  /** The error where retries do not help. */
  readonly refused: RinglabError;

  constructor(refused: RinglabError) {
    super(refused.message);
    this.refused = refused;
  }
}

export interface Opened<T> {
  readonly value: T;
  /** Settles when the channel is closed. */
  readonly closed: Promise<unknown>;
}

interface OpenOptions {
  readonly signal?: AbortSignal | undefined;
  /** For channels that only watch: called when others need the channel. Opening such a channel never waits. */
  readonly yields?: (() => void) | undefined;
  /** For terminals, which users close when they like: refused where too few channels would be left for commands. */
  readonly interactive?: boolean;
}

export interface ChannelGate {
  /**
   * Waits for a channel and opens it. Rejects with `channel_refused` where the server opens none at all (or, for
   * channels that yield, has none free) or where terminals alone have held all for a while, with
   * `terminals_per_connection` for one terminal too many, with `cancelled` on abort, or with what `open` rejects with.
   * @param open rejects with ChannelRefused where the server has no channel left
   */
  open<T>(open: () => Promise<Opened<T>>, options?: OpenOptions): Promise<T>;
  /** The current estimate of the server's limit. */
  limit(): number;
  /** Whether anything waits for a channel. */
  isWaitedFor(): boolean;
  /** Called whenever something starts to wait: idle channels should be closed. */
  onWaiting(listener: () => void): void;
}

/**
 * @param onStuck called where the server opens no channel although none of ours is open, or does not answer: only a
 * new connection can help
 */
export function createChannelGate(
  host: string,
  clock: Pick<Clock, 'ticks' | 'sleep' | 'random'> = systemClock,
  onStuck: () => void = () => undefined,
): ChannelGate {
  let limit = startingLimit;
  let active = 0;
  /** Terminals that are open or being opened. */
  let terminals = 0;
  /** Those that are open. */
  let shown = 0;
  let lastRelease = -Infinity;
  const waiting: (() => void)[] = [];
  const watchers: (() => void)[] = [];
  const waitingListeners: (() => void)[] = [];

  const watchersAllowed = (): number => (limit <= 1 ? 0 : Math.max(1, Math.floor(limit / 2)));
  const terminalsAllowed = (): number => (limit <= 1 ? 0 : Math.max(1, limit - keptForCommands));
  const tooManyTerminals = (): RinglabError => new RinglabError('terminals_per_connection', { host });
  const askWatchersToYield = (): void => {
    for (const yieldNow of watchers.splice(watchersAllowed())) yieldNow();
  };
  const wakeNext = (): void => {
    if (active < limit) waiting.shift()?.();
  };
  const release = (): void => {
    active -= 1;
    lastRelease = clock.ticks();
    wakeNext();
  };
  const slot = async (signal: AbortSignal | undefined, urgent: boolean): Promise<void> => {
    throwIfAborted(signal);
    if (active < limit && (urgent || waiting.length === 0)) {
      active += 1;
      return;
    }
    if (waiting.length >= longestQueue) throw new RinglabError('channel_refused', { host });
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        clearInterval(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const wake = (): void => {
        leave();
        active += 1;
        resolve();
      };
      const giveUp = (error: RinglabError): void => {
        leave();
        const at = waiting.indexOf(wake);
        if (at !== -1) waiting.splice(at, 1);
        reject(error);
      };
      const onAbort = (): void => giveUp(new RinglabError('cancelled'));
      // Commands end; a terminal may stay open for days.
      const timer = setInterval(() => {
        if (active > shown) return;
        giveUp(new RinglabError('channel_refused', { host }, { detail: phrase('reasons.onlyTerminals') }));
      }, giveUpAfterMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      if (urgent) waiting.unshift(wake);
      else waiting.push(wake);
      for (const listener of waitingListeners) listener();
    });
  };

  async function attempt<T>(open: () => Promise<Opened<T>>, yields: (() => void) | undefined): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        onStuck();
        reject(new RinglabError('channel_refused', { host }, { detail: phrase('reasons.noAnswer') }));
      }, openWithinMs);
    });
    const { value, closed } = await Promise.race([open(), silence]).finally(() => clearTimeout(timer));
    if (yields !== undefined) watchers.push(yields);
    const onClosed = (): void => {
      const at = yields === undefined ? -1 : watchers.indexOf(yields);
      if (at !== -1) watchers.splice(at, 1);
      release();
    };
    closed.then(onClosed, onClosed);
    return value;
  }

  /** Lowers the limit after a refusal with `active` channels open, unless one was closed just before. */
  const learn = (patience: number): void => {
    const settled = clock.ticks() - lastRelease > settlingMs || patience > settlingMs;
    if (settled && active >= 1 && active < limit) limit = active;
    askWatchersToYield();
  };

  async function openWhenFree<T>(
    open: () => Promise<Opened<T>>,
    { signal, yields, interactive }: OpenOptions,
  ): Promise<T> {
    if (yields !== undefined && (watchers.length >= watchersAllowed() || active >= limit)) {
      throw new RinglabError('channel_refused', { host });
    }
    let waited = 0;
    for (let failures = 0; ; failures += 1) {
      await slot(signal, failures > 0);
      try {
        return await attempt(open, yields);
      } catch (error) {
        active -= 1;
        const isCommand = error instanceof CommandRefused;
        if (!isCommand && !(error instanceof ChannelRefused)) {
          wakeNext();
          throw error;
        }
        if (isCommand && yields === undefined && waited >= commandRefusedMs) {
          wakeNext();
          throw error.refused;
        }
        if (!isCommand) learn(waited);
        if (interactive === true && terminals > terminalsAllowed()) {
          wakeNext();
          throw tooManyTerminals();
        }
        const isStuck = !isCommand && active === 0 && waited >= giveUpAfterMs;
        if (yields !== undefined || isStuck) {
          if (isStuck) onStuck();
          wakeNext();
          throw new RinglabError('channel_refused', { host }, { detail: error.message, cause: error });
        }
      }
      const waitMs = backOffMs(failures + 1, retries, clock.random());
      await clock.sleep(waitMs, signal);
      waited += waitMs;
    }
  }

  async function openTerminal<T>(open: () => Promise<Opened<T>>, options: OpenOptions): Promise<T> {
    if (terminals >= terminalsAllowed()) throw tooManyTerminals();
    terminals += 1;
    const leave = (): void => {
      terminals -= 1;
    };
    try {
      const opened = await openWhenFree(async () => {
        const value = await open();
        shown += 1;
        const hide = (): void => {
          shown -= 1;
        };
        value.closed.then(hide, hide);
        return { value, closed: value.closed };
      }, options);
      opened.closed.then(leave, leave);
      return opened.value;
    } catch (error) {
      leave();
      throw error;
    }
  }

  return {
    limit: () => limit,
    isWaitedFor: () => waiting.length > 0,
    onWaiting: (listener) => void waitingListeners.push(listener),
    open: (open, options = {}) => (options.interactive === true ? openTerminal : openWhenFree)(open, options),
  };
}
