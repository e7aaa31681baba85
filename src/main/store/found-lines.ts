/** Splits bytes into lines, and extracts the numbers of a line that become series. */
import {
  metricNumber,
  numericFields,
  parseMetricLine,
  type MetricLine,
} from '../../shared/metrics/metrics.ts';
import { longestScalarName, scalarField } from '../../shared/run/run-outputs.ts';
import { absent, gap } from './block.ts';
import type { Table } from './table.ts';

const newline = 0x0a;
const longestField = 200;
/** Axes are not series. */
const notFields = new Set(['t', 'step', 'epoch']);

export interface FoundLine {
  readonly line: MetricLine;
  /** Position in the raw file. */
  readonly position: number;
  /** Bytes, without the newline. */
  readonly length: number;
}

/**
 * The new lines in `bytes`, and the number of invalid ones.
 * @param position of the first byte in the raw file
 */
export function findLines(
  bytes: Uint8Array,
  position: number,
  stored: Table,
): { found: FoundLine[]; bad: number } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: FoundLine[] = [];
  const here = new Set<number>();
  let bad = 0;
  let newest = stored.rows > 0 ? stored.keyAt('seq', stored.rows - 1) : -1;
  for (let from = 0; from < buffer.length;) {
    const at = buffer.indexOf(newline, from);
    const to = at < 0 ? buffer.length : at;
    const text = buffer.toString('utf8', from, to);
    const start = from;
    from = to + 1;
    if (text.trim() === '') continue;
    const parsed = parseMetricLine(text);
    if (!parsed.ok) {
      bad += 1;
      continue;
    }
    const { seq } = parsed.line;
    if (seq <= newest && (here.has(seq) || stored.has(seq))) continue;
    newest = Math.max(newest, seq);
    here.add(seq);
    found.push({ line: parsed.line, position: position + start, length: to - start });
  }
  return { found, bad };
}

/** A step or an epoch; absent where it is not finite. */
export const finiteOr = (value: unknown): number => {
  const number = metricNumber(value);
  return number !== undefined && Number.isFinite(number) ? number : absent;
};

/** The numbers of a line that become series; those that are not finite are gaps. */
export function* indexedFields(line: MetricLine): Iterable<readonly [string, number]> {
  for (const [name, value] of numericFields(line)) {
    if (notFields.has(name) || name.length > longestField) continue;
    yield [name, Number.isFinite(value) ? value : gap];
  }
}

/** The scalars of a line under their series' fields; those that are not finite are gaps. */
export function* scalarFields(line: MetricLine): Iterable<readonly [string, number]> {
  const { values } = line;
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return;
  for (const [name, value] of Object.entries(values)) {
    const number = metricNumber(value);
    if (number === undefined || name === '' || name.length > longestScalarName) continue;
    yield [scalarField(name), Number.isFinite(number) ? number : gap];
  }
}
