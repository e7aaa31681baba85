/**
 * A column: one numeric field of one kind's lines. Full blocks and their pyramid are in the index, the newest rows in
 * memory.
 */
import { absent, type Shape } from './block.ts';
import type { Index } from './database.ts';
import { emptyRecord, mergeAll, record, summariseBlock, type AxisColumns } from './pyramid.ts';

/** The table's properties that a column needs. */
export interface ColumnPlace {
  readonly index: Index;
  readonly shape: Shape;
  /** The table of all lines has no pyramids: positions and lengths are not drawn. */
  readonly pyramid: boolean;
  /** Number of full blocks of the table. */
  readonly blocks: number;
}

export interface StoredColumn {
  readonly id: number;
  readonly name: string;
  readonly firstBlock: number;
  readonly points: number;
}

export class Column {
  readonly id: number;
  readonly name: string;
  /** In earlier blocks the column is absent throughout, and not stored. */
  firstBlock: number;
  points: number;
  /** Values of the rows after the full blocks; may be shorter than the table's, then the rest is absent. */
  tail: number[] = [];
  /** Coarse records of the full blocks after the last whole fan of them. */
  #coarse: number[];
  readonly #place: ColumnPlace;

  /** @param rest stored rows after the full blocks */
  constructor(place: ColumnPlace, stored: StoredColumn, rest: number) {
    this.#place = place;
    ({ id: this.id, name: this.name, firstBlock: this.firstBlock, points: this.points } = stored);
    const { fan } = place.shape;
    const inFan = place.blocks % fan;
    this.#coarse =
      place.pyramid && inFan > 0 && this.firstBlock < place.blocks
        ? [...this.#readCoarse(Math.floor(place.blocks / fan), inFan)]
        : emptyRecords(inFan);
    if (rest > 0) this.tail = [...place.index.block(this.id, 0, place.blocks, rest)];
  }

  /** Puts a value into a row of the tail. */
  set(at: number, value: number): void {
    while (this.tail.length < at) this.tail.push(absent);
    this.tail[at] = value;
    this.points += 1;
  }

  /** Makes room for a row in the tail. */
  spread(at: number): void {
    if (this.tail.length > at) this.tail.splice(at, 0, absent);
  }

  /** The values of a full block; undefined where the column is absent throughout. */
  block(no: number): Float64Array | undefined {
    const { index, shape } = this.#place;
    return no < this.firstBlock ? undefined : index.block(this.id, 0, no, shape.rows);
  }

  /** The finer records of a full block; undefined where the column is absent throughout. */
  fine(no: number): Float64Array | undefined {
    const { index, shape } = this.#place;
    return no < this.firstBlock
      ? undefined
      : index.block(this.id, 1, no, (shape.rows / shape.bucket) * record.size);
  }

  /** The coarse records of the blocks of one fan, as many as are full. */
  coarse(fanNo: number): ArrayLike<number> {
    const { shape, blocks } = this.#place;
    if (fanNo === Math.floor(blocks / shape.fan)) return this.#coarse;
    return (fanNo + 1) * shape.fan <= this.firstBlock
      ? emptyRecords(shape.fan)
      : this.#readCoarse(fanNo, shape.fan);
  }

  #readCoarse(fanNo: number, blocks: number): Float64Array {
    return this.#place.index.block(this.id, 2, fanNo, blocks * record.size);
  }

  valueAt(row: number): number {
    const { shape, blocks } = this.#place;
    const no = Math.floor(row / shape.rows);
    const values = no < blocks ? this.block(no) : this.tail;
    return values?.[row - Math.min(no, blocks) * shape.rows] ?? absent;
  }

  /**
   * Moves the full blocks from `no` on back into memory; the table still counts them as full until it has called
   * every column.
   */
  pullBack(no: number): void {
    const { shape, blocks, pyramid } = this.#place;
    const pulled: number[] = [];
    for (let block = no; block < blocks; block += 1) {
      const values = this.block(block);
      for (let i = 0; i < shape.rows; i += 1) pulled.push(values?.[i] ?? absent);
    }
    const inFan = no % shape.fan;
    this.#coarse =
      pyramid && this.firstBlock < no
        ? Array.from(this.coarse(Math.floor(no / shape.fan))).slice(0, inFan * record.size)
        : emptyRecords(inFan);
    this.tail = pulled.concat(this.tail);
    this.firstBlock = Math.min(this.firstBlock, no);
  }

  /**
   * Writes the tail, padded to `rows`, and the pyramid of its full blocks. Call inside a transaction; call the
   * returned function after the commit.
   */
  write(table: number, rows: number, axes: readonly AxisColumns[]): () => void {
    const { index, shape, blocks, pyramid } = this.#place;
    const coarse = [...this.#coarse];
    cut(this.tail, rows, shape.rows).forEach((values, i) => {
      const no = blocks + i;
      index.writeBlock(this.id, 0, no, values);
      const x = axes[i];
      if (!pyramid || x === undefined) return;
      const fine = summariseBlock(values, x, shape.bucket);
      index.writeBlock(this.id, 1, no, fine);
      coarse.push(...mergeAll(fine));
      index.writeBlock(this.id, 2, Math.floor(no / shape.fan), Float64Array.from(coarse));
      if (coarse.length === shape.fan * record.size) coarse.length = 0;
    });
    index.run(
      'INSERT OR REPLACE INTO columns VALUES(?, ?, ?, ?, ?)',
      this.id,
      table,
      this.name,
      this.firstBlock,
      this.points,
    );
    return () => {
      this.tail = this.tail.slice(axes.length * shape.rows);
      this.#coarse = coarse;
    };
  }
}

/** Records of blocks in which a column is absent. */
function emptyRecords(blocks: number): number[] {
  return Array.from({ length: blocks }, () => [...emptyRecord()]).flat();
}

/** Splits `values`, padded to `rows` with absent ones, into pieces of `perPiece`; the last may be shorter. */
export function cut(values: readonly number[], rows: number, perPiece: number): Float64Array[] {
  const pieces: Float64Array[] = [];
  for (let from = 0; from < rows; from += perPiece) {
    const piece = new Float64Array(Math.min(perPiece, rows - from)).fill(absent);
    piece.set(values.slice(from, from + piece.length));
    pieces.push(piece);
  }
  return pieces;
}
