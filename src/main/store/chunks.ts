/** Reads the rows of a column block by block, and those of the tail. */
import { absent } from './block.ts';
import type { Column } from './column.ts';
import type { Axis } from './pyramid.ts';
import type { Table } from './table.ts';

type ChunkReader = (
  values: ArrayLike<number>,
  x: Readonly<Record<Axis, ArrayLike<number>>>,
  /** The row of values[0]. */
  start: number,
  first: number,
  last: number,
) => void;

const nothing: ArrayLike<number> = [];

/**
 * Calls `read` with the columns of each block, and of the tail, that rows [from, to) touch.
 * @param only the one axis that is read; without it all are
 */
export function eachChunk(
  table: Table,
  column: Column,
  from: number,
  to: number,
  read: ChunkReader,
  only?: Axis,
): void {
  const { rows: perBlock } = table.shape;
  const fullRows = table.blocks * perBlock;
  for (let no = Math.floor(from / perBlock); no < table.blocks && no * perBlock < to; no += 1) {
    const values = column.block(no);
    if (values === undefined) continue;
    const start = no * perBlock;
    const of = (axis: Axis) => (only === undefined || only === axis ? table.keyBlock(axis, no) : nothing);
    const x = { step: of('step'), epoch: of('epoch'), t: of('t') };
    read(values, x, start, Math.max(0, from - start), Math.min(perBlock, to - start));
  }
  if (to > fullRows) read(column.tail, table.keyTails, fullRows, Math.max(0, from - fullRows), to - fullRows);
}

/** What points are put into; of one in a row without the axis x is NaN. */
interface PointSink {
  add(x: number, y: number): void;
}

export function eachPoint(
  table: Table,
  column: Column,
  axis: Axis,
  from: number,
  to: number,
  into: PointSink,
): void {
  const read: ChunkReader = (values, x, _start, first, last) => {
    const along = x[axis];
    for (let i = first; i < last; i += 1) {
      const value = values[i] ?? absent;
      if (!Number.isNaN(value)) into.add(along[i] ?? absent, value);
    }
  };
  eachChunk(table, column, from, to, read, axis);
}
