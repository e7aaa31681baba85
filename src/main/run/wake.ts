/**
 * Says when files of a node grow, without asking again and again: a `tail -F` there waits for the kernel's word.
 * Only a hint: what was appended is read by offset, and a node on which this does not work is read at intervals.
 */
import { shellQuote, type SshSession } from '../ssh/index.ts';
import type { Clock } from './clock.ts';

/** The command ends by itself, so that none stays on the node when the connection breaks without a word. */
const lifetimeSeconds = 60;
/** Milliseconds. */
const retryAfter = 15_000;

export interface Wake {
  /** Resolves when something was appended since the last call, or after `milliseconds`; never rejects. */
  next(milliseconds: number): Promise<void>;
  /** True while the node tells of changes. */
  readonly works: boolean;
  stop(): Promise<void>;
}

export function startWake(session: SshSession, paths: readonly string[], clock: Clock): Wake {
  const ended = new AbortController();
  let changed = false;
  let works = true;
  let ring: (() => void) | undefined;
  const script = `exec timeout --foreground ${lifetimeSeconds} tail -q -n 0 -F ${paths.map(shellQuote).join(' ')} 2>/dev/null`;
  const listen = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const begun = clock.ticks();
      works = true;
      await session
        .exec(script, {
          signal: ended.signal,
          timeoutMs: (lifetimeSeconds + 30) * 1000,
          maxOutputBytes: 1024,
          // Where the server grants few channels, commands come before watching.
          yields: true,
          onOutput: () => {
            changed = true;
            ring?.();
          },
        })
        .catch(() => undefined);
      if (clock.ticks() - begun >= (lifetimeSeconds - 1) * 1000) continue;
      // No such command there, or no channel left for it: reading at intervals has to do for a while.
      works = false;
      ring?.();
      await clock.sleep(retryAfter, ended.signal);
    }
  };
  const listening = listen().catch(() => undefined);
  return {
    get works() {
      return works;
    },
    async next(milliseconds) {
      if (!changed) {
        const waited = new AbortController();
        ring = () => waited.abort();
        await clock.sleep(milliseconds, waited.signal).catch(() => undefined);
        ring = undefined;
      }
      changed = false;
    },
    async stop() {
      ended.abort();
      ring?.();
      await listening;
    },
  };
}
