/**
 * All lines of one kind from one source as columns, sorted by seq: full blocks in the index, the newest rows in memory.
 * What is in memory is never lost by a crash: it is read again from the raw file (source.ts), which is the truth.
 */
import { absent, decodeBlock, encodeBlock, type Shape } from './block.ts';
import { readStored, type Index } from './database.ts';
import { axes, mergeAll, record, summariseBlock, type Axis } from './pyramid.ts';
import { z } from 'zod';

export const keys = ['seq', ...axes] as const;
export type Key = (typeof keys)[number];

/** The table of all lines of a source, whatever their kind (a kind is never empty). It has no pyramid. */
export const linesKind = '';

/** Numbers of one kind's lines that are indexed; more stay in the raw file alone. */
const mostColumns = 2000;
/** An axis that goes back more often than this is sorted when it is read. */
export const mostBreaks = 256;

export interface Column {
  readonly id: number;
  readonly name: string;
  /** In earlier blocks the column is absent throughout, and not stored. */
  firstBlock: number;
  points: number;
  /** Values of the rows after the full blocks; may be shorter than the table's: the rest is absent. */
  tail: number[];
  /** Coarse records of the full blocks after the last whole fan of them. */
  coarse: number[];
}

/** Rows at which an axis goes back, and how many rows have it: over the full blocks. */
interface AxisState {
  breaks: number[];
  present: number;
}
const StoredAxes = z.record(z.enum(axes), z.object({ breaks: z.array(z.number()), present: z.number() }));

export interface TableRow {
  readonly id: number;
  readonly kind: string;
  readonly keys: number;
  readonly rows: number;
  readonly firsts: Uint8Array;
  readonly axes: string;
  readonly columns: readonly { id: number; name: string; firstBlock: number; points: number }[];
}

export class Table {
  readonly kind: string;
  readonly shape: Shape;
  readonly id: number;
  readonly columns = new Map<string, Column>();
  /** How many full blocks there are. */
  blocks = 0;
  readonly keyTails: Record<Key, number[]> = { seq: [], step: [], epoch: [], t: [] };
  /** First value of every key in every full block, `keys.length` a block. */
  firsts: number[] = [];
  readonly axisStates: Record<Axis, AxisState> = {
    step: { breaks: [], present: 0 },
    epoch: { breaks: [], present: 0 },
    t: { breaks: [], present: 0 },
  };
  readonly #index: Index;
  readonly #keyColumn: number;
  #dirty = true;

  constructor(index: Index, shape: Shape, kind: string, stored?: TableRow) {
    this.#index = index;
    this.shape = shape;
    this.kind = kind;
    this.id = stored?.id ?? index.allocate(1);
    this.#keyColumn = stored?.keys ?? index.allocate(keys.length);
    if (stored !== undefined) this.#load(stored);
  }

  get rows(): number {
    return this.blocks * this.shape.rows + this.keyTails.seq.length;
  }

  #load(stored: TableRow): void {
    const { rows: perBlock, fan } = this.shape;
    this.blocks = Math.floor(stored.rows / perBlock);
    const rest = stored.rows % perBlock;
    this.firsts = [...decodeBlock(stored.firsts, this.blocks * keys.length)];
    const states = readStored(stored.axes, StoredAxes);
    for (const axis of axes) this.axisStates[axis] = states[axis];
    if (rest > 0) {
      keys.forEach((key, i) => {
        this.keyTails[key] = [...this.#index.block(this.#keyColumn + i, 0, this.blocks, rest)];
      });
    }
    for (const column of stored.columns) {
      const coarse =
        this.kind === linesKind
          ? 0
          : Math.max(0, this.blocks - Math.max(column.firstBlock, this.#fanStart()));
      this.columns.set(column.name, {
        ...column,
        tail:
          rest > 0 && column.firstBlock <= this.blocks
            ? [...this.#index.block(column.id, 0, this.blocks, rest)]
            : [],
        coarse:
          coarse > 0
            ? [...this.#readCoarse(column.id, Math.floor(this.blocks / fan), this.blocks % fan)]
            : emptyCoarse(this.blocks % fan),
      });
    }
    this.#dirty = false;
  }

  /** Adds one row in its place by seq. The caller has made sure that the seq is new. */
  insert(row: Record<Key, number>, values: Iterable<readonly [string, number]>): void {
    const beforeTail = this.blocks > 0 && row.seq < (this.keyTails.seq[0] ?? Number.POSITIVE_INFINITY);
    if (beforeTail && row.seq < this.keyAt('seq', this.blocks * this.shape.rows - 1))
      this.#pullBack(this.#blockOf(row.seq));
    const { seq } = this.keyTails;
    const at = row.seq > (seq.at(-1) ?? -1) ? seq.length : lowerBound(seq, row.seq);
    this.#dirty = true;
    if (at < this.keyTails.seq.length) {
      for (const column of this.columns.values()) {
        if (column.tail.length > at) column.tail.splice(at, 0, absent);
      }
      for (const key of keys) this.keyTails[key].splice(at, 0, row[key]);
    } else {
      for (const key of keys) this.keyTails[key].push(row[key]);
    }
    for (const [name, value] of values) {
      const column = this.columns.get(name) ?? this.#addColumn(name);
      if (column === undefined) continue;
      while (column.tail.length < at) column.tail.push(absent);
      column.tail[at] = value;
      column.points += 1;
    }
  }

  #addColumn(name: string): Column | undefined {
    if (this.columns.size >= mostColumns) return undefined;
    const column: Column = {
      id: this.#index.allocate(1),
      name,
      firstBlock: this.blocks,
      points: 0,
      tail: [],
      coarse: emptyCoarse(this.blocks % this.shape.fan),
    };
    this.columns.set(name, column);
    return column;
  }

  has(seq: number): boolean {
    const at = this.find(seq);
    return at < this.rows && this.keyAt('seq', at) === seq;
  }

  /** The first row whose seq is at least `seq`. */
  find(seq: number): number {
    return this.search('seq', 0, this.rows, seq, false);
  }

  /**
   * The first row in [from, to) whose key is at least `value` (above it, with `above`); `to` where there is none.
   * The key must not go back within [from, to).
   */
  search(key: Key, from: number, to: number, value: number, above: boolean): number {
    const before = (row: number): boolean => {
      const found = this.keyAt(key, row);
      return above ? found <= value : found < value;
    };
    const { rows: perBlock } = this.shape;
    // First among the blocks' first rows, which are in memory; then within one block.
    let low = Math.ceil(from / perBlock);
    let high = Math.min(this.blocks, Math.ceil(to / perBlock));
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (before(middle * perBlock)) low = middle + 1;
      else high = middle;
    }
    let first = Math.max(from, (low - 1) * perBlock);
    let last = low < this.blocks ? Math.min(to, low * perBlock) : to;
    while (first < last) {
      const middle = (first + last) >>> 1;
      if (before(middle)) first = middle + 1;
      else last = middle;
    }
    return first;
  }

  keyAt(key: Key, row: number): number {
    const { rows: perBlock } = this.shape;
    const no = Math.floor(row / perBlock);
    if (no >= this.blocks) return this.keyTails[key][row - this.blocks * perBlock] ?? absent;
    if (row % perBlock === 0) return this.firsts[no * keys.length + keys.indexOf(key)] ?? absent;
    return this.keyBlock(key, no)[row % perBlock] ?? absent;
  }

  keyBlock(key: Key, no: number): Float64Array {
    return this.#index.block(this.#keyColumn + keys.indexOf(key), 0, no, this.shape.rows);
  }

  /** A column's values in a full block; undefined where it is absent throughout. */
  block(column: Column, no: number): Float64Array | undefined {
    return no < column.firstBlock ? undefined : this.#index.block(column.id, 0, no, this.shape.rows);
  }

  /** A column's value in a row; `absent` where there is no such column. */
  valueAt(name: string, row: number): number {
    const column = this.columns.get(name);
    if (column === undefined) return absent;
    const no = Math.floor(row / this.shape.rows);
    const values = no < this.blocks ? this.block(column, no) : column.tail;
    return values?.[row - Math.min(no, this.blocks) * this.shape.rows] ?? absent;
  }

  /** The finer records of a full block; undefined where the column is absent throughout. */
  fine(column: Column, no: number): Float64Array | undefined {
    if (no < column.firstBlock) return undefined;
    const records = this.shape.rows / this.shape.bucket;
    return this.#index.block(column.id, 1, no, records * record.size);
  }

  /** The coarse records of the blocks of one fan, as many as are full; absent blocks have empty ones. */
  coarse(column: Column, fanNo: number): ArrayLike<number> {
    const { fan } = this.shape;
    if (fanNo === Math.floor(this.blocks / fan)) return column.coarse;
    return (fanNo + 1) * fan <= column.firstBlock
      ? emptyCoarse(fan)
      : this.#readCoarse(column.id, fanNo, fan);
  }

  #readCoarse(column: number, fanNo: number, blocks: number): Float64Array {
    return this.#index.block(column, 2, fanNo, blocks * record.size);
  }

  #fanStart(): number {
    return this.blocks - (this.blocks % this.shape.fan);
  }

  /** The block in which a seq before the tail belongs. */
  #blockOf(seq: number): number {
    let no = this.blocks - 1;
    while (no > 0 && seq < (this.firsts[no * keys.length] ?? 0)) no -= 1;
    return no;
  }

  /** Takes the full blocks from `no` on back into memory, so that a row can be put between theirs. */
  #pullBack(no: number): void {
    const { rows: perBlock, fan } = this.shape;
    for (const key of keys) {
      const pulled: number[] = [];
      for (let block = no; block < this.blocks; block += 1) {
        for (const value of this.keyBlock(key, block)) pulled.push(value);
      }
      if (key !== 'seq') {
        const state = this.axisStates[key];
        state.present -= pulled.filter((value) => !Number.isNaN(value)).length;
        state.breaks = state.breaks.filter((row) => row < no * perBlock);
      }
      this.keyTails[key] = pulled.concat(this.keyTails[key]);
    }
    const kept = no % fan;
    for (const column of this.columns.values()) {
      const pulled: number[] = [];
      for (let block = no; block < this.blocks; block += 1) {
        const values = this.block(column, block);
        for (let i = 0; i < perBlock; i += 1) pulled.push(values?.[i] ?? absent);
      }
      column.tail = pulled.concat(column.tail);
      if (this.kind !== linesKind) {
        const fanNo = Math.floor(no / fan);
        const stored =
          column.firstBlock >= no ? emptyCoarse(kept) : [...Array.from(this.coarse(column, fanNo))];
        column.coarse = stored.slice(0, kept * record.size);
      }
      column.firstBlock = Math.min(column.firstBlock, no);
    }
    this.firsts.length = no * keys.length;
    this.blocks = no;
  }

  /**
   * Writes what is new to the index; call inside a transaction, and call what it returns once that is committed.
   * Until then nothing in memory has changed, so that a failed transaction loses nothing.
   */
  write(run: string, source: string): () => void {
    if (!this.#dirty) return () => undefined;
    const { rows: perBlock } = this.shape;
    const tailRows = this.keyTails.seq.length;
    const full = Math.floor(tailRows / perBlock);
    const keyBlocks = {} as Record<Key, Float64Array[]>; // filled for every key by the loop that follows
    keys.forEach((key, i) => {
      keyBlocks[key] = cut(this.keyTails[key], tailRows, perBlock);
      keyBlocks[key].forEach((values, offset) => {
        this.#index.writeBlock(this.#keyColumn + i, 0, this.blocks + offset, values);
      });
    });
    const firsts = [...this.firsts];
    const states = structuredClone(this.axisStates);
    for (let i = 0; i < full; i += 1) {
      for (const key of keys) firsts.push(keyBlocks[key][i]?.[0] ?? absent);
      for (const axis of axes) this.#extendAxis(states[axis], axis, i, keyBlocks[axis]);
    }
    const after = [...this.columns.values()].map((column) => this.#writeColumn(column, keyBlocks, full));
    this.#index.run(
      'INSERT OR REPLACE INTO tables VALUES(?, ?, ?, ?, ?, ?, ?, ?)',
      this.id,
      run,
      source,
      this.kind,
      this.#keyColumn,
      this.rows,
      encodeBlock(Float64Array.from(firsts)),
      JSON.stringify(states),
    );
    return () => {
      for (const key of keys) this.keyTails[key] = this.keyTails[key].slice(full * perBlock);
      for (const finish of after) finish();
      this.firsts = firsts;
      for (const axis of axes) this.axisStates[axis] = states[axis];
      this.blocks += full;
      this.#dirty = false;
    };
  }

  #extendAxis(state: AxisState, axis: Axis, i: number, blocks: readonly Float64Array[]): void {
    const values = blocks[i] ?? new Float64Array();
    const start = (this.blocks + i) * this.shape.rows;
    let previous = i > 0 ? blocks[i - 1]?.at(-1) : start > 0 ? this.keyAt(axis, start - 1) : undefined;
    for (let row = 0; row < values.length; row += 1) {
      const value = values[row] ?? absent;
      if (!Number.isNaN(value)) state.present += 1;
      if (previous !== undefined && value < previous && state.breaks.length <= mostBreaks)
        state.breaks.push(start + row);
      previous = value;
    }
  }

  #writeColumn(column: Column, keyBlocks: Record<Key, Float64Array[]>, full: number): () => void {
    const { fan, bucket, rows: perBlock } = this.shape;
    const coarse = [...column.coarse];
    cut(column.tail, this.keyTails.seq.length, perBlock).forEach((values, i) => {
      const no = this.blocks + i;
      this.#index.writeBlock(column.id, 0, no, values);
      if (this.kind === linesKind || i >= full) return;
      const [step, epoch, t] = [keyBlocks.step[i], keyBlocks.epoch[i], keyBlocks.t[i]];
      if (step === undefined || epoch === undefined || t === undefined) return;
      const fine = summariseBlock(values, { step, epoch, t }, bucket);
      this.#index.writeBlock(column.id, 1, no, fine);
      coarse.push(...mergeAll(fine));
      this.#index.writeBlock(column.id, 2, Math.floor(no / fan), Float64Array.from(coarse));
      if (coarse.length === fan * record.size) coarse.length = 0;
    });
    this.#index.run(
      'INSERT OR REPLACE INTO columns VALUES(?, ?, ?, ?, ?)',
      column.id,
      this.id,
      column.name,
      column.firstBlock,
      column.points,
    );
    return () => {
      column.tail = column.tail.slice(full * perBlock);
      column.coarse = coarse;
    };
  }
}

/** Records of blocks in which a column is absent. */
function emptyCoarse(blocks: number): number[] {
  const made: number[] = new Array<number>(blocks * record.size).fill(absent);
  for (let at = 0; at < made.length; at += record.size) {
    made[at + record.count] = 0;
    made[at + record.gaps] = 0;
  }
  return made;
}

/** `values`, filled up to `rows` with absent ones, in pieces of `perBlock`; the last may be shorter. */
function cut(values: readonly number[], rows: number, perBlock: number): Float64Array[] {
  const pieces: Float64Array[] = [];
  for (let from = 0; from < rows; from += perBlock) {
    const piece = new Float64Array(Math.min(perBlock, rows - from)).fill(absent);
    piece.set(values.slice(from, from + piece.length));
    pieces.push(piece);
  }
  return pieces;
}

function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
