/**
 * How far the files of a node are believed. A trainer's lines grow by some hundred bytes a step and are never taken back; a
 * node whose files grow without end, or begin anew again and again, would fill this computer's disk.
 */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { FileChunk } from '../../ssh/index.ts';
import { phrase } from '../../i18n/index.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';

/** Bytes of one file at once, and for each second since the run began: a monitor of eight GPUs writes 10 kB a second. */
const firstBytes = 64 * 1024 * 1024;
const bytesASecond = 512 * 1024;
/** A file that begins anew more often than a user could make it. */
const maxRestarts = 16;
/** Times in a row that a file has more bytes by its size and gives none. */
const maxEmpty = 20;

export interface NodeTrust {
  /** Throws `node_nonsense` where what was read of a file cannot be so. */
  read(path: string, chunk: FileChunk): void;
  /** What is about to be stored of a file; throws `node_nonsense` where it is too much. */
  stored(path: string, bytes: number): void;
}

/** @param since Unix seconds at which the run began */
export function createNodeTrust(since: number, now: () => number): NodeTrust {
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
      if (file.bytes > firstBytes + bytesASecond * Math.max(0, now() - since))
        throw nonsense(phrase('reasons.node.grows', { path }));
    },
  };
}
