/** The points that a series is drawn with, and what each stands for where there are fewer of them than values. */
import type { Series } from '../../shared/metrics/metrics.ts';
import { absent, gap } from './block.ts';

export type Drawn = Omit<Series, 'key' | 'newest'>;
/** y is `gap` for a value that was not finite. */
export type DrawnPoint = readonly [x: number, y: number];

export class Points {
  readonly x: number[] = [];
  readonly y: number[] = [];
  readonly #mean: number[] = [];
  readonly #count: number[] = [];

  /** @param count how many finite values the point stands for, with this mean */
  add(x: number, y: number, mean = y, count = y === gap ? 0 : 1): void {
    this.x.push(x);
    this.y.push(y);
    this.#mean.push(mean);
    this.#count.push(count);
  }

  /** Points of one bucket, which share its values evenly. */
  addBucket(points: readonly DrawnPoint[], mean: number, count: number): void {
    const finite = points.filter(([, y]) => y !== gap).length;
    for (const [x, y] of points) this.add(x, y, mean, y === gap ? 0 : count / finite);
  }

  /** Ascending by x, in row order for equal x; without duplicates at bucket borders. */
  finish(total: number, exact: boolean): Drawn {
    const order = this.x.map((_, i) => i);
    if (this.x.some((x, i) => i > 0 && x < (this.x[i - 1] ?? x)))
      order.sort((a, b) => (this.x[a] ?? 0) - (this.x[b] ?? 0));
    const drawn: Drawn = { x: [], y: [], total };
    const means: number[] = [];
    const counts: number[] = [];
    let previous = -1;
    for (const i of order) {
      const repeated =
        !exact && previous >= 0 && this.x[i] === this.x[previous] && this.y[i] === this.y[previous];
      previous = i;
      const y = this.y[i] ?? absent;
      const mean = y === gap ? 0 : (this.#mean[i] ?? absent);
      const count = this.#count[i] ?? 0;
      if (repeated) {
        const last = counts.length - 1;
        const had = counts[last] ?? 0;
        counts[last] = had + count;
        const share = count === 0 ? 0 : count / (had + count);
        means[last] = (means[last] ?? 0) * (1 - share) + mean * share;
        continue;
      }
      drawn.x.push(this.x[i] ?? 0);
      drawn.y.push(y === gap ? null : y);
      means.push(mean);
      counts.push(count);
    }
    return exact ? drawn : { ...drawn, means, counts };
  }
}

export type Beside = Pick<Series, 'before' | 'after'>;

/** The points that are nearest to a range on both sides. */
export class Nearest {
  #before: DrawnPoint | undefined;
  #after: DrawnPoint | undefined;

  /** Of points at one x the last one counts. Without a point nothing changes. */
  below(x: number | undefined, y: number | undefined): void {
    if (x !== undefined && y !== undefined && x >= (this.#before?.[0] ?? Number.NEGATIVE_INFINITY))
      this.#before = [x, y];
  }

  /** Of points at one x the first one counts. Without a point nothing changes. */
  above(x: number | undefined, y: number | undefined): void {
    if (x !== undefined && y !== undefined && x < (this.#after?.[0] ?? Number.POSITIVE_INFINITY))
      this.#after = [x, y];
  }

  /** Without one that is a gap: no line leads to it. */
  points(): Beside {
    const of = (point: DrawnPoint | undefined) =>
      point === undefined || point[1] === gap ? undefined : { x: point[0], y: point[1] };
    const [before, after] = [of(this.#before), of(this.#after)];
    return { ...(before && { before }), ...(after && { after }) };
  }
}

interface Columns {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

const columns = (length: number): Columns => ({ x: new Float64Array(length), y: new Float64Array(length) });

/**
 * Sorts points by x, of equal x in their order: by merging the stretches that ascend already. An axis has few of them where a line
 * lacks its step, and one an epoch where a script counts steps anew in each.
 */
export class SortedPoints {
  readonly #given: Columns;
  #length = 0;

  /** @param most the number of points that may be added */
  constructor(most: number) {
    this.#given = columns(most);
  }

  /** @param x not NaN */
  add(x: number, y: number): void {
    this.#given.x[this.#length] = x;
    this.#given.y[this.#length] = y;
    this.#length += 1;
  }

  finish(): Columns {
    const length = this.#length;
    let from: Columns = { x: this.#given.x.subarray(0, length), y: this.#given.y.subarray(0, length) };
    let edges = [0];
    for (let i = 1; i < length; i += 1) if ((from.x[i] ?? 0) < (from.x[i - 1] ?? 0)) edges.push(i);
    if (edges.length === 1) return from;
    let into = columns(length);
    while (edges.length > 1) {
      const joined: number[] = [];
      for (let pair = 0; pair < edges.length; pair += 2) {
        const start = edges[pair] ?? 0;
        joined.push(start);
        merge(from, start, edges[pair + 1] ?? length, edges[pair + 2] ?? length, into);
      }
      [from, into] = [into, from];
      edges = joined;
    }
    return from;
  }
}

/** Both [start, middle) and [middle, end) ascend. */
function merge({ x, y }: Columns, start: number, middle: number, end: number, into: Columns): void {
  let left = start;
  let right = middle;
  for (let at = start; at < end; at += 1) {
    const isLeft = left < middle && (right >= end || (x[left] ?? 0) <= (x[right] ?? 0));
    const taken = isLeft ? left : right;
    into.x[at] = x[taken] ?? 0;
    into.y[at] = y[taken] ?? 0;
    if (isLeft) left += 1;
    else right += 1;
  }
}
