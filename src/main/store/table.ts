/**
 * All lines of one kind from one source as columns, sorted by seq: full blocks in the index, the newest rows in
 * memory. A crash loses nothing: rows in memory are read again from the raw file (source.ts).
 */
import { absent, decodeBlock, encodeBlock, type Shape } from './block.ts';
import { Column, cut, type ColumnPlace } from './column.ts';
import { readStored, type Index } from './database.ts';
import { axes, type Axis, type AxisColumns } from './pyramid.ts';
import {
  presentIn,
  StoredAxes,
  type StoredTable,
  type TableContent,
  type TableSummary,
} from './table-summary.ts';

const keys = ['seq', ...axes] as const;
export type Key = (typeof keys)[number];

/** The table of all lines of a source, of any kind (a kind is never empty). */
export const linesKind = '';

/** Maximum number of indexed fields of a kind; more are only in the raw file. */
const maxColumns = 2000;
/** An axis that goes back more often is sorted when it is read. */
export const maxBreaks = 256;

/** For the full blocks: rows at which an axis goes back, and how many rows have it. */
interface AxisState {
  breaks: number[];
  present: number;
}

export class Table implements ColumnPlace {
  readonly index: Index;
  readonly shape: Shape;
  readonly kind: string;
  /** Of a scalar's table; otherwise empty. */
  readonly field: string;
  readonly id: number;
  readonly columns = new Map<string, Column>();
  blocks = 0;
  readonly keyTails: Record<Key, number[]> = { seq: [], step: [], epoch: [], t: [] };
  readonly axisStates: Record<Axis, AxisState> = {
    step: { breaks: [], present: 0 },
    epoch: { breaks: [], present: 0 },
    t: { breaks: [], present: 0 },
  };
  readonly #keyColumn: number;
  /** First value of every key in every full block, `keys.length` a block. */
  #firsts: number[] = [];
  #changed: boolean;

  constructor(index: Index, shape: Shape, { kind, field }: TableContent, stored?: StoredTable) {
    this.index = index;
    this.shape = shape;
    this.kind = kind;
    this.field = field;
    this.id = stored?.id ?? index.allocate(1);
    this.#keyColumn = stored?.keys ?? index.allocate(keys.length);
    this.#changed = stored === undefined;
    if (stored !== undefined) this.#load(stored);
  }

  #load(stored: StoredTable): void {
    this.blocks = Math.floor(stored.rows / this.shape.rows);
    const rest = stored.rows % this.shape.rows;
    this.#firsts = [...decodeBlock(stored.firsts, this.blocks * keys.length)];
    const states = readStored(stored.axes, StoredAxes);
    for (const axis of axes)
      this.axisStates[axis] = { breaks: states[axis].breaks, present: states[axis].present };
    if (rest > 0) {
      keys.forEach((key, i) => {
        this.keyTails[key] = [...this.index.block(this.#keyColumn + i, 0, this.blocks, rest)];
      });
    }
    for (const column of stored.columns) this.columns.set(column.name, new Column(this, column, rest));
  }

  get pyramid(): boolean {
    return this.kind !== linesKind;
  }

  /** How many rows have an axis. */
  present(axis: Axis): number {
    return this.axisStates[axis].present + presentIn(this.keyTails[axis]);
  }

  summary(): TableSummary {
    const columns = [...this.columns.values()];
    return {
      kind: this.kind,
      field: this.field,
      columns,
      steps: this.present('step'),
      epochs: this.present('epoch'),
    };
  }

  /** Numbers in memory. */
  get held(): number {
    return this.keyTails.seq.length * (keys.length + this.columns.size) + this.#firsts.length;
  }

  get rows(): number {
    return this.blocks * this.shape.rows + this.keyTails.seq.length;
  }

  /** Inserts one row by its seq. The caller guarantees that the seq is new. */
  insert(row: Record<Key, number>, values: Iterable<readonly [string, number]>): void {
    const beforeTail = this.blocks > 0 && row.seq < (this.keyTails.seq[0] ?? Number.POSITIVE_INFINITY);
    if (beforeTail && row.seq < this.keyAt('seq', this.blocks * this.shape.rows - 1))
      this.#pullBack(this.#blockOf(row.seq));
    const { seq } = this.keyTails;
    const at = row.seq > (seq.at(-1) ?? -1) ? seq.length : lowerBound(seq, row.seq);
    this.#changed = true;
    if (at < seq.length) {
      for (const column of this.columns.values()) column.spread(at);
      for (const key of keys) this.keyTails[key].splice(at, 0, row[key]);
    } else {
      for (const key of keys) this.keyTails[key].push(row[key]);
    }
    for (const [name, value] of values) (this.columns.get(name) ?? this.#addColumn(name))?.set(at, value);
  }

  #addColumn(name: string): Column | undefined {
    if (this.columns.size >= maxColumns) return undefined;
    const column = new Column(
      this,
      { id: this.index.allocate(1), name, firstBlock: this.blocks, points: 0 },
      0,
    );
    this.columns.set(name, column);
    return column;
  }

  /** -1 without rows. */
  get lastSeq(): number {
    return this.rows === 0 ? -1 : this.keyAt('seq', this.rows - 1);
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
   * The first row in [from, to) whose key is at least `value` (above it, with `above`); `to` where there is none. The
   * key must be ascending within [from, to).
   */
  search(key: Key, from: number, to: number, value: number, above: boolean): number {
    const before = (row: number): boolean => {
      const found = this.keyAt(key, row);
      return above ? found <= value : found < value;
    };
    const { rows: perBlock } = this.shape;
    // Searches the blocks' first rows, which are in memory; then within one block.
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
    if (row % perBlock === 0) return this.#firsts[no * keys.length + keys.indexOf(key)] ?? absent;
    return this.keyBlock(key, no)[row % perBlock] ?? absent;
  }

  keyBlock(key: Key, no: number): Float64Array {
    return this.index.block(this.#keyColumn + keys.indexOf(key), 0, no, this.shape.rows);
  }

  /** The block that contains a seq before the tail. */
  #blockOf(seq: number): number {
    let no = this.blocks - 1;
    while (no > 0 && seq < (this.#firsts[no * keys.length] ?? 0)) no -= 1;
    return no;
  }

  /** Moves the full blocks from `no` on back into memory, so that a row can be inserted. */
  #pullBack(no: number): void {
    const { rows: perBlock } = this.shape;
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
    for (const column of this.columns.values()) column.pullBack(no);
    this.#firsts.length = no * keys.length;
    this.blocks = no;
  }

  /**
   * Writes new rows to the index; call inside a transaction, and call the returned function after the commit. Until
   * then nothing in memory has changed, so that a failed transaction loses nothing.
   */
  write(run: string, source: string): () => void {
    if (!this.#changed) return () => undefined;
    const { rows: perBlock } = this.shape;
    const tailRows = this.keyTails.seq.length;
    const full = Math.floor(tailRows / perBlock);
    const pieces = (key: Key): Float64Array[] => cut(this.keyTails[key], tailRows, perBlock);
    const keyPieces = { seq: pieces('seq'), step: pieces('step'), epoch: pieces('epoch'), t: pieces('t') };
    keys.forEach((key, i) => {
      keyPieces[key].forEach((values, piece) => {
        this.index.writeBlock(this.#keyColumn + i, 0, this.blocks + piece, values);
      });
    });
    const firsts = [...this.#firsts];
    const states = structuredClone(this.axisStates);
    const x: AxisColumns[] = [];
    for (let i = 0; i < full; i += 1) {
      for (const key of keys) firsts.push(keyPieces[key][i]?.[0] ?? absent);
      for (const axis of axes) this.#extendAxis(states[axis], axis, i, keyPieces[axis]);
      const [step, epoch, t] = [keyPieces.step[i] ?? [], keyPieces.epoch[i] ?? [], keyPieces.t[i] ?? []];
      x.push({ step, epoch, t });
    }
    const after = [...this.columns.values()].map((column) => column.write(this.id, tailRows, x));
    this.index.run(
      'INSERT OR REPLACE INTO tables VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)',
      this.id,
      run,
      source,
      this.kind,
      this.field,
      this.#keyColumn,
      this.rows,
      encodeBlock(Float64Array.from(firsts)),
      JSON.stringify(
        Object.fromEntries(
          axes.map((axis) => {
            const tail = presentIn(this.keyTails[axis].slice(full * perBlock));
            return [axis, { ...states[axis], tail }];
          }),
        ),
      ),
    );
    return () => {
      for (const key of keys) this.keyTails[key] = this.keyTails[key].slice(full * perBlock);
      for (const finish of after) finish();
      this.#firsts = firsts;
      for (const axis of axes) this.axisStates[axis] = states[axis];
      this.blocks += full;
      this.#changed = false;
    };
  }

  #extendAxis(state: AxisState, axis: Axis, i: number, pieces: readonly Float64Array[]): void {
    const values = pieces[i] ?? new Float64Array();
    const start = (this.blocks + i) * this.shape.rows;
    let previous = i > 0 ? pieces[i - 1]?.at(-1) : start > 0 ? this.keyAt(axis, start - 1) : undefined;
    for (let row = 0; row < values.length; row += 1) {
      const value = values[row] ?? absent;
      if (!Number.isNaN(value)) state.present += 1;
      if (previous !== undefined && value < previous && state.breaks.length <= maxBreaks)
        state.breaks.push(start + row);
      previous = value;
    }
  }
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
