/** What the store promises. `index.ts` re-exports this; the work is done in a worker that owns the one connection. */
import type { Point, Series, SeriesQuery, Source } from '../../shared/metrics/metrics.ts';
import type { WireError } from '../../shared/base/errors.ts';
import type { RunRecord } from '../../shared/run/run.ts';

/** Whole lines of one followed file, as they stand at `offset` (bytes) of the node's file. */
export interface Chunk {
  readonly runId: string;
  readonly source: Source;
  readonly offset: number;
  /** UTF-8 bytes ending in a newline. */
  readonly bytes: Uint8Array;
}

export interface Appended {
  /** The lines that were new, parsed; repeated ones (same source and seq) are left out, and those too long for an event. */
  readonly points: Point[];
  /** New lines that are stored and too long to be sent to every window. */
  readonly unreported?: number;
  readonly badLines: number;
  /** Where to read on. */
  readonly nextOffset: number;
}

export interface CatalogueEntry {
  readonly source: Source;
  readonly kind: string;
  readonly field: string;
  readonly points: number;
}

export interface LinesQuery {
  readonly runId: string;
  readonly kinds: readonly string[];
  readonly source?: Source | undefined;
  readonly limit: number;
}

/** A run whose record cannot be opened: `run_newer`, or `file_unreadable`. Its files are left untouched. */
export interface RunProblem {
  readonly runId: string;
  readonly error: WireError;
}

export interface Store {
  /** Newest first. Runs that cannot be opened are in `problems` instead. */
  listRuns(): Promise<RunRecord[]>;
  problems(): Promise<RunProblem[]>;
  /** Rejects with `run_newer` or `file_unreadable` where the run is there and cannot be opened. */
  getRun(runId: string): Promise<RunRecord | undefined>;
  /**
   * Written through before it resolves: `run.json` in the run's folder (renamed into place) and the index. Call it
   * before the run's first `append`. Never writes over a record of a newer version.
   */
  saveRun(run: RunRecord): Promise<void>;
  deleteRun(runId: string): Promise<void>;
  /** The folder a run's raw files are kept in. */
  runFolder(runId: string): string;

  /**
   * Appends to the raw file and the index in one step; a chunk that overlaps what is stored is cut, one that leaves a
   * hole is refused (`bad_request`), and bytes after the last newline are left for later. The raw file's size is the
   * offset, so that the two cannot come apart. What was appended outlives this process at once and a power cut half a
   * second later; after one the rest is read from the node again. Rejects with `local_disk_full` or `file_unwritable`
   * (nothing is stored then; the latter also where earlier bytes did not reach the disk), or `not_found`.
   */
  append(chunk: Chunk): Promise<Appended>;
  /** Byte offset to read on from, 0 for a source never seen. */
  offset(runId: string, source: Source): Promise<number>;
  /** The node's file shrank: what is stored stays, reading starts over at 0 and repeated lines are dropped by seq. */
  restart(runId: string, source: Source): Promise<void>;

  /**
   * Points in ascending x, at most `maxPoints` a series: all of them, or else the first, the last and the extremes of
   * each bucket, and a null where values were not finite. Lines without a step (or epoch) lie along `t`. What a resume
   * took back is left out along steps and epochs, and kept along the time.
   */
  series(query: SeriesQuery): Promise<Series[]>;
  /** The axes themselves (`step`, `epoch`, `t`) are no series. */
  catalogue(runId: string): Promise<CatalogueEntry[]>;
  /** The newest `limit` lines of these kinds, oldest first: by seq within a source, by time between sources. */
  lines(query: LinesQuery): Promise<Point[]>;
  /** Stored points (lines) of a run. */
  countPoints(runId: string): Promise<number>;
  /** Every stored line of a run in order of source and seq, a page at a time: for the CSV and JSON exports. */
  allLines(runId: string): AsyncIterable<Point>;

  getSetting(name: string): Promise<string | undefined>;
  setSetting(name: string, value: string): Promise<void>;
  /** Finishes what is under way. Every call after it rejects with `cancelled`. */
  close(): Promise<void>;
}

export interface StoreOptions {
  /** Damage that was found, and mended, while the store was in use: the file and why, as in `repaired`. */
  readonly onRepaired?: (what: string) => void;
}

export interface OpenedStore {
  readonly store: Store;
  /** The damaged files that were set aside, with why: the database is rebuilt from the run folders (fault 35). */
  readonly repaired: string | undefined;
}
