/**
 * The scalars of one source: a table for each name. Lines of a training script carry any of a thousand names, each with
 * its own steps; in one table of all names nearly every cell would be absent, and no axis would be ascending.
 */
import { scalarKind } from '../../shared/run/run-outputs.ts';
import type { Shape } from './block.ts';
import type { Index } from './database.ts';
import { Table, type Key } from './table.ts';
import { summariseStored, type StoredTable, type TableContent, type TableSummary } from './table-summary.ts';

/** Maximum number of indexed names of a source; more are only in the raw file. */
const maxScalars = 2000;
/** For each name so many rows are collected before the index is written, since a write copies every name's last rows. */
const rowsEach = 64;
const rowsInBlock = 256;
const rowsInBucket = 16;
const heldBySummary = 64;

/** Smaller blocks than of other kinds: a thousand tables have as many incomplete ones. */
const scalarShape = (shape: Shape): Shape => ({
  rows: Math.min(rowsInBlock, shape.rows),
  bucket: Math.min(rowsInBucket, shape.bucket),
  fan: shape.fan,
});

export class ScalarTables {
  readonly #index: Index;
  readonly #shape: Shape;
  readonly #tables = new Map<string, Table>();
  /** Tables that only the index has: each is loaded when it is needed, since a view shows few of many. */
  readonly #stored = new Map<string, { readonly summary: TableSummary; readonly load: () => Table }>();

  /** @param shape of the other kinds */
  constructor(index: Index, shape: Shape) {
    this.#index = index;
    this.#shape = scalarShape(shape);
  }

  /** A table that the index has. */
  put(content: TableContent, stored: StoredTable): void {
    this.#stored.set(content.field, {
      summary: summariseStored(content, stored),
      load: () => new Table(this.#index, this.#shape, content, stored),
    });
  }

  insert(row: Record<Key, number>, values: Iterable<readonly [string, number]>): void {
    for (const value of values) this.#tableOf(value[0])?.insert(row, [value]);
  }

  #tableOf(field: string): Table | undefined {
    const known = this.get(field);
    if (known !== undefined || this.#size >= maxScalars) return known;
    const table = new Table(this.#index, this.#shape, { kind: scalarKind, field });
    this.#tables.set(field, table);
    return table;
  }

  get(field: string): Table | undefined {
    const stored = this.#stored.get(field);
    if (stored !== undefined) {
      this.#tables.set(field, stored.load());
      this.#stored.delete(field);
    }
    return this.#tables.get(field);
  }

  /** The tables that may have changed. */
  loaded(): Iterable<Table> {
    return this.#tables.values();
  }

  summaries(): TableSummary[] {
    return [
      ...[...this.#stored.values()].map(({ summary }) => summary),
      ...[...this.#tables.values()].map((table) => table.summary()),
    ];
  }

  get #size(): number {
    return this.#tables.size + this.#stored.size;
  }

  /** Numbers in memory; a summary takes as much as some. */
  get held(): number {
    let held = this.#stored.size * heldBySummary;
    for (const table of this.#tables.values()) held += table.held;
    return held;
  }

  /** How many lines may be collected before the index is written. */
  get patience(): number {
    return this.#size * rowsEach;
  }
}
