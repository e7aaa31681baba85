/**
 * When the parts of a copied log arrived on this computer. The logs themselves have no times, so that a file beside each copy keeps
 * marks: the bytes from an offset on arrived at a time, up to the next mark.
 */
import { open, rm, type FileHandle } from 'node:fs/promises';

/** Two doubles, little-endian: byte offset in the copy, Unix seconds. */
const markBytes = 16;
/** Parts that arrive within this time share a mark. In seconds. */
const together = 1;
/** Marks read for one slice, the newest: as many as a window keeps lines. Also how many are read at a time. */
const maxMarks = 5000;

export interface LogMark {
  /** Byte offset in the copied log. */
  readonly offset: number;
  /** Unix seconds, of this computer's clock. */
  readonly t: number;
}

/** A line of a slice by its number, from 0, and when it and those after it arrived, up to the next. */
export interface Arrival {
  readonly line: number;
  /** Unix seconds. */
  readonly t: number;
}

const timesPath = (mirror: string): string => mirror.replace(/\.txt$/, '.times');

/** Notes that the bytes from `mark.offset` on arrive now. To be called before they are copied. */
export async function noteArrival(mirror: string, mark: LogMark): Promise<void> {
  // Opened for appending, so that it is made where it is missing; all is written by position.
  await (await open(timesPath(mirror), 'a')).close();
  const file = await open(timesPath(mirror), 'r+');
  try {
    const count = Math.floor((await file.stat()).size / markBytes);
    const last = count > 0 ? await markAt(file, count - 1) : undefined;
    if (last !== undefined && mark.offset > last.offset && mark.t - last.t >= 0 && mark.t - last.t < together)
      return;
    const bytes = Buffer.alloc(markBytes);
    bytes.writeDoubleLE(mark.offset, 0);
    bytes.writeDoubleLE(mark.t, 8);
    // Over an incomplete mark that a crash left.
    await file.write(bytes, 0, markBytes, count * markBytes);
  } finally {
    await file.close();
  }
}

/** The node's log starts again, and so do the marks. */
export const forgetArrivals = (mirror: string): Promise<void> => rm(timesPath(mirror), { force: true });

/**
 * When the lines of these bytes, which begin at `offset` in the copied log, arrived. Lines copied before marks were kept are in none.
 * A line that began in an earlier part counts as that part's.
 */
export async function arrivalsOf(mirror: string, bytes: Uint8Array, offset: number): Promise<Arrival[]> {
  if (bytes.length === 0) return [];
  const marks = await marksOf(mirror, offset, offset + bytes.length);
  const arrivals: Arrival[] = [];
  let line = 0;
  let at = 0;
  for (const mark of marks) {
    const to = Math.max(0, mark.offset - offset);
    for (; at < to; at += 1) if (bytes[at] === newline) line += 1;
    const isTorn = to > 0 && bytes[to - 1] !== newline;
    const first = isTorn ? line + 1 : line;
    if (arrivals.at(-1)?.line === first) arrivals.pop();
    arrivals.push({ line: first, t: mark.t });
  }
  return arrivals;
}

/** All marks of a copied log, in its order; none where none were kept. To be read to its end or closed. */
export async function* arrivalMarks(mirror: string): AsyncGenerator<LogMark> {
  const file = await open(timesPath(mirror), 'r').catch(() => undefined);
  if (file === undefined) return;
  try {
    const bytes = Buffer.alloc(maxMarks * markBytes);
    for (let at = 0; ;) {
      const { bytesRead } = await file.read(bytes, 0, bytes.length, at);
      const count = Math.floor(bytesRead / markBytes);
      for (let index = 0; index < count; index += 1) yield decode(bytes, index * markBytes);
      if (count === 0) return;
      at += count * markBytes;
    }
  } finally {
    await file.close();
  }
}

const newline = 10;

/** The mark that `from` is under, if any, and those up to `to`. */
async function marksOf(mirror: string, from: number, to: number): Promise<LogMark[]> {
  const file = await open(timesPath(mirror), 'r').catch(() => undefined);
  if (file === undefined) return [];
  try {
    const count = Math.floor((await file.stat()).size / markBytes);
    const end = await firstAfter(file, count, to - 1);
    const start = Math.max(0, (await firstAfter(file, count, from)) - 1, end - maxMarks);
    const bytes = Buffer.alloc((end - start) * markBytes);
    await file.read(bytes, 0, bytes.length, start * markBytes);
    return Array.from({ length: end - start }, (_, i) => decode(bytes, i * markBytes));
  } finally {
    await file.close();
  }
}

/** The number of the first mark whose offset is above this one, by halving. */
async function firstAfter(file: FileHandle, count: number, offset: number): Promise<number> {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((await markAt(file, middle)).offset > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

async function markAt(file: FileHandle, index: number): Promise<LogMark> {
  const bytes = Buffer.alloc(markBytes);
  await file.read(bytes, 0, markBytes, index * markBytes);
  return decode(bytes, 0);
}

const decode = (bytes: Buffer, at: number): LogMark => ({
  offset: bytes.readDoubleLE(at),
  t: bytes.readDoubleLE(at + 8),
});
