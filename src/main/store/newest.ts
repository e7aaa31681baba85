/** The newest lines of several sources: each source's own order is kept, the clocks decide between sources. */
import type { MetricLine, Point, Source } from '../../shared/metrics/metrics.ts';

/** The rows of one kind, in order of seq. */
interface Rows {
  readonly rows: number;
  keyAt(key: 'seq' | 't', row: number): number;
}

export interface SourceLines {
  readonly source: Source;
  rowsOf(kind: string): Rows | undefined;
  /** In the order of `seqs`, which is ascending. */
  linesAt(seqs: readonly number[]): MetricLine[];
}

interface RowKey {
  readonly seq: number;
  readonly t: number;
}

/** Keys that are read at a time: a block of the index that many sources need in turn may not be in memory any more. */
const keysAtOnce = 64;

/** Goes through a kind's rows, from the newest. */
class Descent {
  readonly #rows: Rows;
  #read: RowKey[] = [];
  #left: number;

  constructor(rows: Rows) {
    this.#rows = rows;
    this.#left = rows.rows;
  }

  get key(): RowKey | undefined {
    if (this.#read.length === 0 && this.#left > 0) {
      const from = Math.max(0, this.#left - keysAtOnce);
      for (let row = from; row < this.#left; row += 1)
        this.#read.push({ seq: this.#rows.keyAt('seq', row), t: this.#rows.keyAt('t', row) });
      this.#left = from;
    }
    return this.#read.at(-1);
  }

  drop(): void {
    this.#read.pop();
  }
}

/** A source, and which of its lines are taken. */
class Taking {
  readonly log: SourceLines;
  /** From the newest. */
  readonly seqs: number[] = [];
  readonly #kinds: readonly Descent[];
  #newest: Descent | undefined;
  /** Of its newest line that is not taken. */
  t: number | undefined;

  constructor(log: SourceLines, kinds: readonly string[]) {
    this.log = log;
    this.#kinds = kinds.flatMap((kind) => {
      const rows = log.rowsOf(kind);
      return rows === undefined ? [] : [new Descent(rows)];
    });
    this.#find();
  }

  #find(): void {
    let seq = -Infinity;
    this.#newest = undefined;
    for (const kind of this.#kinds) {
      const { key } = kind;
      if (key === undefined || key.seq < seq) continue;
      ({ seq } = key);
      this.#newest = kind;
    }
    this.t = this.#newest?.key?.t;
  }

  take(): void {
    const { key } = this.#newest ?? {};
    if (key === undefined) return;
    this.seqs.push(key.seq);
    this.#newest?.drop();
    this.#find();
  }
}

/** At most `limit` points, oldest first. Only they are read and parsed: all else would keep the store's worker from its other work. */
export function newestOf(logs: readonly SourceLines[], kinds: readonly string[], limit: number): Point[] {
  const sources = logs.map((log) => new Taking(log, [...new Set(kinds)]));
  const taken: Taking[] = [];
  while (taken.length < limit) {
    let newest: Taking | undefined;
    for (const one of sources)
      if (one.t !== undefined && (newest?.t === undefined || one.t > newest.t)) newest = one;
    if (newest === undefined) break;
    newest.take();
    taken.push(newest);
  }
  const lines = new Map(
    sources.map((one) => [one, one.log.linesAt(one.seqs.toReversed()).values()] as const),
  );
  return taken.reverse().flatMap((one) => {
    const line = lines.get(one)?.next().value;
    return line === undefined ? [] : [{ source: one.log.source, line }];
  });
}
