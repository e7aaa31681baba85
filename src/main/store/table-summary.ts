/** What the index stores of a table beside its blocks, and what a catalogue says of it. */
import * as z from 'zod';
import { readStored } from './database.ts';
import type { StoredColumn } from './column.ts';
import { axes } from './pyramid.ts';

/** Which lines a table holds: those of a kind, or those of scalars that have this field (otherwise empty). */
export interface TableContent {
  readonly kind: string;
  readonly field: string;
}

/** `tail`: how many rows after the full blocks have the axis. */
export const StoredAxes = z.record(
  z.enum(axes),
  z.object({ breaks: z.array(z.number()), present: z.number(), tail: z.number() }),
);

export interface StoredTable {
  readonly id: number;
  /** The first of the key columns' ids. */
  readonly keys: number;
  readonly rows: number;
  readonly firsts: Uint8Array;
  readonly axes: string;
  readonly columns: readonly StoredColumn[];
}

/** What a catalogue says of a table: its columns, and how many rows have a step and an epoch. */
export interface TableSummary extends TableContent {
  readonly columns: readonly Pick<StoredColumn, 'name' | 'points'>[];
  readonly steps: number;
  readonly epochs: number;
}

/** The summary of a stored table, without reading its blocks. Throws IndexDamaged. */
export function summariseStored(content: TableContent, stored: StoredTable): TableSummary {
  const { step, epoch } = readStored(stored.axes, StoredAxes);
  const { columns } = stored;
  return { ...content, columns, steps: step.present + step.tail, epochs: epoch.present + epoch.tail };
}

/** How many of these are not absent. */
export function presentIn(values: readonly number[]): number {
  return values.reduce((count, value) => (Number.isNaN(value) ? count : count + 1), 0);
}
