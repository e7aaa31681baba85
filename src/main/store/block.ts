/**
 * Blocks: fixed numbers of Float64 values of one column, as they lie in the index. Each carries a CRC-32, so that a
 * damaged page is found when it is read and the index is rebuilt, instead of a curve being drawn wrong.
 *
 * Layout (little endian): u32 CRC-32 of all that follows · u8 encoding · 3 bytes 0 · payload.
 * Encoding 0: the values. Encoding 1: first value and difference (steps, epochs and constants shrink to 16 bytes).
 */
import { crc32 } from 'node:zlib';

/** The index is damaged: it is moved aside and rebuilt from the raw files (fault 35). */
export class IndexDamaged extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'IndexDamaged';
  }
}

/** The line has no such field: no point. (JSON has no NaN, so no stored value collides with it.) */
export const absent = Number.NaN;
/** The value was not finite: a point without a value, drawn as a gap. The raw file has the original. */
export const gap = Number.POSITIVE_INFINITY;

/** How a run's rows are divided into blocks. Production values in `standardShape`; tests use small ones. */
export interface Shape {
  /** Rows in a block. */
  readonly rows: number;
  /** Rows in a bucket of the finer pyramid level; divides `rows`. */
  readonly bucket: number;
  /** Blocks whose coarse buckets are in one row of the coarser level. */
  readonly fan: number;
}
export const standardShape: Shape = { rows: 4096, bucket: 64, fan: 64 };

const headerBytes = 8;
const plain = 0;
const affine = 1;

export function encodeBlock(values: Float64Array): Uint8Array {
  const difference = affineDifference(values);
  const payload = difference === undefined ? values : Float64Array.of(values[0] ?? absent, difference);
  const bytes = new Uint8Array(headerBytes + payload.byteLength);
  bytes[4] = difference === undefined ? plain : affine;
  bytes.set(new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength), headerBytes);
  new DataView(bytes.buffer).setUint32(0, crc32(bytes.subarray(4)), true);
  return bytes;
}

/** @param count expected number of values. Throws IndexDamaged where it differs, or the checksum is wrong. */
export function decodeBlock(bytes: Uint8Array | undefined, count: number): Float64Array {
  if (bytes === undefined) throw new IndexDamaged('a block is missing');
  if (bytes.byteLength < headerBytes) throw new IndexDamaged('a block is too short');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== crc32(bytes.subarray(4))) throw new IndexDamaged('a block has a wrong sum');
  const payload = bytes.byteLength - headerBytes;
  if (bytes[4] === affine && payload === 16) {
    const first = view.getFloat64(headerBytes, true);
    const difference = view.getFloat64(headerBytes + 8, true);
    const values = new Float64Array(count);
    for (let i = 0; i < count; i += 1) values[i] = first + i * difference;
    return values;
  }
  if (bytes[4] !== plain || payload !== count * 8) throw new IndexDamaged('a block has a wrong length');
  // A copy: SQLite's buffer need not be aligned to eight bytes.
  return new Float64Array(bytes.slice(headerBytes).buffer);
}

/** The difference d with values[i] === values[0] + i·d exactly for every i, or undefined. All NaN counts as d = 0. */
function affineDifference(values: Float64Array): number | undefined {
  if (values.length < 3) return undefined;
  const first = values[0] ?? absent;
  if (Number.isNaN(first)) return values.every((value) => Number.isNaN(value)) ? 0 : undefined;
  const difference = first === gap ? 0 : (values[1] ?? absent) - first;
  if (!Number.isFinite(difference)) return undefined;
  for (let i = 1; i < values.length; i += 1) {
    if (values[i] !== first + i * difference) return undefined;
  }
  return difference;
}
