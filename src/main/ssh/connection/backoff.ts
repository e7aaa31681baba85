/** How long to wait before the next try: doubling, with a little chance so that nodes do not knock all at once. */
import { isCancelled, RinglabError, type ErrorCode } from '../../../shared/base/errors.ts';
import { throwIfAborted } from '../../base/abort.ts';
import { systemClock, type Clock } from '../../base/clock.ts';

export interface BackoffTimes {
  readonly firstMs: number;
  readonly longestMs: number;
}

export const reconnectTimes: BackoffTimes = { firstMs: 1000, longestMs: 30_000 };

/** @param failures so far, from 1 */
export const backoffMs = (failures: number, { firstMs, longestMs }: BackoffTimes, random: number): number =>
  Math.round(Math.min(firstMs * 2 ** (failures - 1), longestMs) * (0.8 + 0.4 * random));

/** Codes that time may mend. Trust and login never are: trying those again gets addresses banned. */
const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'connection_lost',
  'connection_throttled',
  'login_cut',
  'connection_refused_often',
  'host_unreachable',
  'host_refused',
  'host_not_found',
  'handshake_timeout',
  'channel_refused',
  'command_timeout',
  // The machine may only be slow.
  'login_shell_waits',
]);

/** Whether a lost connection (the jump host's too) may be made again without asking anybody. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof RinglabError)) return false;
  if (error.code === 'jump_failed') return error.cause === undefined || isPassing(error.cause);
  return passing.has(error.code);
}

export interface ReconnectOptions {
  readonly signal?: AbortSignal | undefined;
  readonly times?: BackoffTimes;
  readonly clock?: Clock;
  /** Before each wait. */
  readonly onWait?: (error: unknown, waitMs: number) => void;
}

/**
 * Does `work`, and does it again with back-off for as long as connections are what fails; everything else is thrown
 * at once. `work` gets a session of the pool and may be cut off anywhere: it must go on from what it has stored.
 * A try that lasted longer than the longest wait starts the back-off anew. Ends only by success, another error or abort.
 */
export async function withReconnect<S, T>(
  connect: (signal: AbortSignal | undefined) => Promise<S>,
  work: (session: S) => Promise<T>,
  { signal, times = reconnectTimes, clock = systemClock, onWait }: ReconnectOptions = {},
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    throwIfAborted(signal);
    const started = clock.now();
    try {
      return await work(await connect(signal));
    } catch (error) {
      if (isCancelled(error) || !isPassing(error)) throw error;
      if (clock.now() - started > times.longestMs) failures = 1;
      const waitMs = backoffMs(failures, times, clock.random());
      onWait?.(error, waitMs);
      await clock.sleep(waitMs, signal);
    }
  }
}
