/**
 * Checks that a node's files grow plausibly. A trainer's lines grow by some hundred bytes a step and are never
 * truncated; a node whose files grow without end, or restart again and again, would fill this computer's disk.
 */
import { uptime } from 'node:os';
import { RinglabError } from '../../../shared/base/errors.ts';
import { secondsNow, type Clock } from '../../base/clock.ts';
import type { FileChunk } from '../../ssh/index.ts';
import { phrase } from '../../i18n/index.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';

/**
 * Allowed bytes of a file: at once, and for each second since the run began. A monitor of eight GPUs writes 10 kB a
 * second.
 */
const firstBytes = 64 * 1024 * 1024;
const bytesASecond = 512 * 1024;
/** Maximum number of times that a file restarts. */
const maxRestarts = 16;
/** Maximum number of consecutive reads that return nothing although the file's size has more. */
const maxEmpty = 20;

export interface NodeTrust {
  /** Throws `node_nonsense` where the read bytes are implausible. */
  read(path: string, chunk: FileChunk): void;
  /** Counts bytes before they are stored; throws `node_nonsense` where they are too many. */
  stored(path: string, bytes: number): void;
}

/**
 * @param since Unix seconds of the run's start
 * @param upSeconds since this computer's boot, with the time in which it slept: nodes write on meanwhile, and on Linux the clock's ticks stand still
 */
export function createNodeTrust(
  since: number,
  clock: Pick<Clock, 'now' | 'ticks'>,
  upSeconds: () => number = uptime,
): NodeTrust {
  // Only what was there before is dated by the wall clock, which may be set.
  const age = Math.max(0, secondsNow(clock) - since);
  const created = clock.ticks();
  const createdUp = upSeconds();
  const seconds = (): number => age + Math.max((clock.ticks() - created) / 1000, upSeconds() - createdUp);
  const files = new Map<string, { restarts: number; empty: number; bytes: number }>();
  const fileOf = (path: string): { restarts: number; empty: number; bytes: number } => {
    const known = files.get(path) ?? { restarts: 0, empty: 0, bytes: 0 };
    files.set(path, known);
    return known;
  };
  const nonsense = (what: Phrase): RinglabError => new RinglabError('node_nonsense', { what });
  return {
    read(path, { offset, size, bytes }) {
      const file = fileOf(path);
      if (size < offset) file.restarts += 1;
      file.empty = bytes.length === 0 && size > offset ? file.empty + 1 : 0;
      if (file.restarts > maxRestarts) throw nonsense(phrase('reasons.node.restarts', { path }));
      if (file.empty > maxEmpty) throw nonsense(phrase('reasons.node.givesNone', { path, size }));
    },
    stored(path, bytes) {
      const file = fileOf(path);
      file.bytes += bytes;
      if (file.bytes > firstBytes + bytesASecond * seconds())
        throw nonsense(phrase('reasons.node.grows', { path }));
    },
  };
}
