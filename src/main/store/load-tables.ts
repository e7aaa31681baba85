/** Reads which tables of a source the index has. */
import type { Source } from '../../shared/metrics/metrics.ts';
import { IndexDamaged } from './block.ts';
import type { StoredColumn } from './column.ts';
import type { Index } from './database.ts';
import type { StoredTable, TableContent } from './table-summary.ts';

/** Throws IndexDamaged. */
export function storedTables(
  index: Index,
  runId: string,
  source: Source,
): (readonly [TableContent, StoredTable])[] {
  const columns = storedColumns(index, runId, source);
  return index.all('SELECT * FROM tables WHERE run = ? AND source = ?', runId, source).map((row) => {
    if (!(row.firsts instanceof Uint8Array)) throw new IndexDamaged('a table has no first rows');
    const stored = {
      id: Number(row.id),
      keys: Number(row.keys),
      rows: Number(row.rows),
      firsts: row.firsts,
      axes: String(row.axes),
      columns: columns.get(Number(row.id)) ?? [],
    };
    return [{ kind: String(row.kind), field: String(row.field) }, stored] as const;
  });
}

/** By the table's id, in one query: a run may have a thousand scalars. */
function storedColumns(index: Index, runId: string, source: Source): Map<number, StoredColumn[]> {
  const found = new Map<number, StoredColumn[]>();
  for (const row of index.all(
    `SELECT columns.id, tbl, name, first_block, points FROM tables JOIN columns ON tbl = tables.id
      WHERE run = ? AND source = ?`,
    runId,
    source,
  )) {
    const columns = found.get(Number(row.tbl)) ?? [];
    columns.push({
      id: Number(row.id),
      name: String(row.name),
      firstBlock: Number(row.first_block),
      points: Number(row.points),
    });
    found.set(Number(row.tbl), columns);
  }
  return found;
}
