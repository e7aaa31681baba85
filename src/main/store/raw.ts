/**
 * The raw file of one source, exactly as read from the node: `<source>.jsonl`, and earlier ones, where the node's
 * file started over, as `<source>.1.jsonl`, `<source>.2.jsonl` … In that order they are one sequence of bytes; a
 * `position` counts through all of them. The size of the newest is the offset in the node's file to read from next.
 */
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { Source } from '../../shared/metrics/metrics.ts';
import { appendBytes, type Disk } from './durable.ts';
import type { LateFlush } from './late-flush.ts';

const newline = 0x0a;
const scanBytes = 64 * 1024;
/** After a power cut a file system may leave sectors of zeros; a valid line never contains as many. */
const sector = Buffer.alloc(512);

interface Segment {
  readonly path: string;
  /** Position of its first byte. */
  readonly start: number;
  size: number;
}

/** The sources with files in a run's folder; ranks by number, then monitors by name. */
export function sourcesIn(folder: string): Source[] {
  if (!existsSync(folder)) return [];
  const found = new Set<Source>();
  for (const name of readdirSync(folder)) {
    const match = /^(.+?)(?:\.\d+)?\.jsonl$/.exec(name);
    const source = Source.safeParse(match?.[1]);
    if (source.success) found.add(source.data);
  }
  const isMonitor = (source: Source): number => (source.startsWith('monitor-') ? 1 : 0);
  return [...found].sort(
    (a, b) => isMonitor(a) - isMonitor(b) || a.localeCompare(b, 'en', { numeric: true }),
  );
}

/** Whether a source is one of `sourcesIn`. The folder of a run with many ranks takes long to list. */
export const hasSource = (folder: string, source: Source): boolean =>
  Source.safeParse(source).success &&
  (existsSync(join(folder, `${source}.jsonl`)) || sourcesIn(folder).includes(source));

export class RawFile {
  readonly #folder: string;
  readonly #source: Source;
  readonly #disk: Disk;
  readonly #flushes: LateFlush;
  #segments: Segment[] = [];
  /** Whether bytes of a torn line follow `offset`; the first change removes them. */
  #torn: boolean;

  /** Read-only. A torn last line of the newest file does not count: the node still has it. */
  constructor(folder: string, source: Source, disk: Disk, flushes: LateFlush) {
    this.#folder = folder;
    this.#source = source;
    this.#disk = disk;
    this.#flushes = flushes;
    const earlier = existsSync(folder)
      ? readdirSync(folder)
          .map((name) => new RegExp(`^${source}\\.(\\d+)\\.jsonl$`).exec(name)?.[1])
          .filter((number) => number !== undefined)
          .map(Number)
          .sort((a, b) => a - b)
      : [];
    for (const number of earlier) this.#add(join(folder, `${source}.${number}.jsonl`));
    const current = join(folder, `${source}.jsonl`);
    this.#add(current, wholeLines(current));
    this.#torn = existsSync(current) && statSync(current).size > this.offset;
  }

  #add(path: string, size = existsSync(path) ? statSync(path).size : 0): void {
    const last = this.#segments.at(-1);
    this.#segments.push({ path, start: last === undefined ? 0 : last.start + last.size, size });
  }

  get #current(): Segment {
    const last = this.#segments.at(-1);
    if (last === undefined) throw new Error('a raw file always has a newest segment');
    return last;
  }

  /** Offset in the node's file. */
  get offset(): number {
    return this.#current.size;
  }

  /** Position after the last byte. */
  get end(): number {
    return this.#current.start + this.#current.size;
  }

  #cutTornLine(): void {
    if (!this.#torn) return;
    truncateSync(this.#current.path, this.#current.size);
    this.#torn = false;
  }

  /** Flushed a moment later; throws also errors of earlier flushes. */
  append(bytes: Uint8Array): void {
    const { path, size } = this.#current;
    this.#flushes.check(path);
    this.#cutTornLine();
    appendBytes(this.#disk, path, size, bytes);
    this.#flushes.written(path, size === 0);
    this.#current.size += bytes.byteLength;
  }

  /** Returns when everything is on disk. */
  flush(): void {
    this.#flushes.now(this.#current.path);
  }

  /**
   * Drops everything after a hole that a power cut left in `bytes` (from `position` on); the node still has it.
   * Returns the whole lines before the hole.
   */
  cutAtHole(position: number, bytes: Uint8Array): Uint8Array {
    const hole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(sector);
    if (hole < 0 || position < this.#current.start) return bytes;
    const whole = bytes.subarray(0, bytes.subarray(0, hole).lastIndexOf(newline) + 1);
    this.#current.size = position + whole.byteLength - this.#current.start;
    this.#torn = true;
    return whole;
  }

  /** The node's file starts over: the existing file is renamed with a number. */
  restart(): void {
    if (this.#current.size === 0) return;
    this.#cutTornLine();
    this.flush();
    const last = this.#segments.at(-2);
    const number = Number(/\.(\d+)\.jsonl$/.exec(last?.path ?? '')?.[1] ?? 0) + 1;
    const kept = join(this.#folder, `${this.#source}.${number}.jsonl`);
    renameSync(this.#current.path, kept);
    this.#segments[this.#segments.length - 1] = { ...this.#current, path: kept };
    this.#add(join(this.#folder, `${this.#source}.jsonl`));
  }

  /** Bytes from `position`, at most `length`, within one file. */
  read(position: number, length: number): Uint8Array {
    const segment = this.#segments.findLast(
      ({ start, size }) => start <= position && position < start + size,
    );
    if (segment === undefined) return new Uint8Array();
    const bytes = new Uint8Array(Math.min(length, segment.start + segment.size - position));
    const file = openSync(segment.path, 'r');
    try {
      let read = 0;
      while (read < bytes.byteLength) {
        const got = readSync(file, bytes, read, bytes.byteLength - read, position - segment.start + read);
        if (got === 0) break;
        read += got;
      }
      return bytes.subarray(0, read);
    } finally {
      closeSync(file);
    }
  }
}

/** Size of a file up to and including its last newline. */
function wholeLines(path: string): number {
  if (!existsSync(path)) return 0;
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(scanBytes);
    let end = statSync(path).size;
    while (end > 0) {
      const from = Math.max(0, end - scanBytes);
      const got = readSync(file, buffer, 0, end - from, from);
      const at = buffer.subarray(0, got).lastIndexOf(newline);
      if (at >= 0) return from + at + 1;
      end = from;
    }
    return 0;
  } finally {
    closeSync(file);
  }
}
