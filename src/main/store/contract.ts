/** What the store promises. `index.ts` re-exports this; the work is done in a worker that owns the one connection. */
import type { Point, Series, SeriesQuery, Source } from '../../shared/metrics.ts';
import type { RunRecord } from '../../shared/run.ts';

/** Whole lines of one followed file, as they stand at `offset` (bytes) of the node's file. */
export interface Chunk {
  readonly runId: string;
  readonly source: Source;
  readonly offset: number;
  /** UTF-8 bytes ending in a newline. */
  readonly bytes: Uint8Array;
}

export interface Appended {
  /** The lines that were new, parsed; repeated ones (same source and seq) are left out. */
  readonly points: Point[];
  readonly badLines: number;
  /** Where to read on. */
  readonly nextOffset: number;
}

export interface Store {
  listRuns(): Promise<RunRecord[]>;
  getRun(runId: string): Promise<RunRecord | undefined>;
  /** Written through before it resolves: `run.json` in the run's folder (renamed into place) and the index. */
  saveRun(run: RunRecord): Promise<void>;
  deleteRun(runId: string): Promise<void>;
  /** The folder a run's raw files are kept in. */
  runFolder(runId: string): string;

  /**
   * Appends to the raw file and the index in one step; a chunk that overlaps what is stored is cut, one that leaves a
   * hole is refused (`bad_request`). The offset is stored with the lines. Throws `local_disk_full`.
   */
  append(chunk: Chunk): Promise<Appended>;
  /** Byte offset to read on from, 0 for a source never seen. */
  offset(runId: string, source: Source): Promise<number>;
  /** The node's file shrank: what is stored stays, reading starts over at 0 and repeated lines are dropped by seq. */
  restart(runId: string, source: Source): Promise<void>;

  series(query: SeriesQuery): Promise<Series[]>;
  catalogue(runId: string): Promise<{ source: Source; kind: string; field: string; points: number }[]>;
  /** The newest `limit` lines of these kinds, oldest first. */
  lines(query: {
    runId: string;
    kinds: string[];
    source?: Source | undefined;
    limit: number;
  }): Promise<Point[]>;
  /** Stored points (lines) of a run. */
  countPoints(runId: string): Promise<number>;
  /** Every stored line of a run in order of source and seq, streamed: for the CSV and JSON exports. */
  allLines(runId: string): AsyncIterable<Point>;

  getSetting(name: string): Promise<string | undefined>;
  setSetting(name: string, value: string): Promise<void>;
  close(): Promise<void>;
}

export interface OpenedStore {
  readonly store: Store;
  /** What had to be mended: a damaged database that was rebuilt from the run folders (fault 35). */
  readonly repaired: string | undefined;
}
