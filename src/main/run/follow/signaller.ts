/** Signals ranks to stop: SIGTERM, SIGKILL after a grace period, and again where a signal did not arrive. */
import type { Clock } from '../../base/clock.ts';
import type { StartedProcess } from '../../../shared/run/run.ts';
import type { LaunchOrder, Launcher } from '../record/launcher.ts';
import type { RunSettings } from '../record/settings.ts';

export interface SignallerOptions {
  readonly launcher: Launcher;
  readonly clock: Clock;
  readonly settings: RunSettings;
  readonly signal: AbortSignal;
  /** Undefined where the rank has ended or is unreachable. */
  rank(rank: number): { order: LaunchOrder; process: StartedProcess } | undefined;
}

export interface Signaller {
  /** SIGTERM to all, SIGKILL after `grace` milliseconds, with `Infinity` never. The shorter of two grace periods applies. */
  stop(ranks: number, grace: number): void;
  /** SIGKILL to this rank alone. */
  kill(rank: number): void;
  killed(rank: number): boolean;
  /**
   * Signals a rank that is still alive again, if the last signal is some seconds old, and was not a SIGTERM that has arrived.
   * @param waits it waits in a queue: nothing of it runs that a signal could arrive at
   */
  again(rank: number, waits?: boolean): void;
  /** Whether this rank was signalled to stop. */
  asked(rank: number): boolean;
}

interface Signalled {
  readonly name: 'TERM' | 'KILL';
  /** By the clock's ticks. */
  readonly at: number;
  /** The id of the process that has it. */
  arrived: string | undefined;
  /** Over a slow link not for some seconds: nothing is known of it until then. */
  isAnswered: boolean;
}

/** Milliseconds before a rank that is still alive is signalled again. */
const repeatAfter = 4000;

export function createSignaller(options: SignallerOptions): Signaller {
  const { clock } = options;
  const signalled = new Map<number, Signalled>();
  const killed = new Set<number>();
  let count = 0;
  let killAt: number | undefined;

  const send = (rank: number, waits = false): void => {
    const isLate = killAt !== undefined && clock.ticks() >= killAt;
    const name = isLate || killed.has(rank) ? 'KILL' : 'TERM';
    const target = options.rank(rank);
    if (target === undefined) return;
    const last = signalled.get(rank);
    // A second SIGTERM ends a trainer at once, before it has saved (native/PROTOCOL.md).
    const hasIt = name === 'TERM' && !waits && last?.arrived === target.process.id;
    const isRecent = last?.isAnswered !== true || clock.ticks() - last.at < repeatAfter;
    if (last?.name === name && (hasIt || isRecent)) return;
    const sent: Signalled = { name, at: clock.ticks(), arrived: undefined, isAnswered: false };
    signalled.set(rank, sent);
    // A signal that did not arrive is repeated when the rank is next seen alive.
    options.launcher.signal(target.order, target.process, name, options.signal).then(
      (arrived) => {
        sent.isAnswered = true;
        if (arrived && !waits) sent.arrived = target.process.id;
      },
      () => signalled.delete(rank),
    );
  };
  const sendAll = (): void => {
    for (let rank = 0; rank < count; rank += 1) send(rank);
  };
  return {
    stop(ranks, grace) {
      count = ranks;
      const at = clock.ticks() + grace;
      if (killAt !== undefined && killAt <= at) return;
      killAt = at;
      sendAll();
      if (grace > 0 && Number.isFinite(grace))
        void clock.sleep(grace + 1, options.signal).then(sendAll, () => undefined);
    },
    kill(rank) {
      killed.add(rank);
      send(rank);
    },
    killed: (rank) => killed.has(rank),
    again(rank, waits) {
      if (killAt !== undefined || killed.has(rank)) send(rank, waits);
    },
    asked: (rank) => signalled.has(rank),
  };
}
