/** Which histograms and pictures are shown together, and a heat strip's cells. Pure. */
import type { RunHistogram } from '../../../shared/run/run-media.ts';

export interface MediaGroup<T> {
  readonly key: string;
  readonly name: string;
  readonly rank: number;
  /** By step, then by time. */
  readonly items: readonly T[];
}

interface Logged {
  readonly name: string;
  readonly rank: number;
  readonly t: number;
  readonly step?: number | undefined;
}

/**
 * One group for each name and rank, in the order of their names.
 * @param rank the only rank that is shown; undefined: all
 */
export function byName<T extends Logged>(items: readonly T[], rank: number | undefined): MediaGroup<T>[] {
  const groups = Map.groupBy(
    items.filter((item) => rank === undefined || item.rank === rank),
    (item) => `${item.rank} ${item.name}`,
  );
  return [...groups]
    .flatMap(([key, members]) => {
      const [first] = members;
      if (first === undefined) return [];
      const ordered = members.toSorted((a, b) => (a.step ?? 0) - (b.step ?? 0) || a.t - b.t);
      return [{ key, name: first.name, rank: first.rank, items: ordered }];
    })
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }) || a.rank - b.rank);
}

export interface Strip {
  readonly low: number;
  readonly high: number;
  /** A column for each histogram, from its lowest row: from 0 to 1, the column's share in its fullest row. */
  readonly columns: readonly (readonly number[])[];
}

/** @param columns the most; of more histograms equally spaced ones are drawn */
export function stripOf(histograms: readonly RunHistogram[], columns: number, rows: number): Strip {
  const every = Math.max(1, Math.ceil(histograms.length / columns));
  const last = histograms.length - 1;
  const drawn = histograms.filter((_, index) => (last - index) % every === 0);
  const low = Math.min(...drawn.map((one) => one.low));
  const high = Math.max(...drawn.map((one) => one.high));
  return { low, high, columns: drawn.map((one) => columnOf(one, low, high, rows)) };
}

function columnOf(histogram: RunHistogram, low: number, high: number, rows: number): number[] {
  const column = Array.from({ length: rows }, () => 0);
  const width = (histogram.high - histogram.low) / histogram.counts.length;
  const height = (high - low) / rows;
  for (const [index, count] of histogram.counts.entries()) {
    if (height <= 0 || width <= 0) {
      const row = height <= 0 ? 0 : Math.min(rows - 1, Math.floor((histogram.low - low) / height));
      column[row] = (column[row] ?? 0) + count;
      continue;
    }
    // A bin is divided among the rows that it overlaps.
    const from = histogram.low + index * width;
    const first = Math.max(0, Math.floor((from - low) / height));
    for (let row = first; row < rows && low + row * height < from + width; row += 1) {
      const overlap = Math.min(from + width, low + (row + 1) * height) - Math.max(from, low + row * height);
      column[row] = (column[row] ?? 0) + (count * Math.max(0, overlap)) / width;
    }
  }
  const fullest = Math.max(...column);
  return fullest > 0 ? column.map((count) => count / fullest) : column;
}
