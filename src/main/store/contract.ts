/** Public interface of the store. `index.ts` re-exports it; a worker with the only database connection does the work. */
import type { Point, Series, SeriesQuery, Source } from '../../shared/metrics/metrics.ts';
import type { WireError } from '../../shared/base/errors.ts';
import type { RunRecord } from '../../shared/run/run.ts';

/** Whole lines of one followed file, at `offset` (bytes) of the node's file. */
export interface Chunk {
  readonly runId: string;
  readonly source: Source;
  readonly offset: number;
  /** UTF-8 bytes ending in a newline. */
  readonly bytes: Uint8Array;
}

export interface Appended {
  /** The new lines, parsed; without duplicates (same source and seq) and lines too long for an event. */
  readonly points: Point[];
  /** Number of new lines that are stored but too long for an event. */
  readonly unreported?: number;
  readonly badLines: number;
  /** The offset from which to read next. */
  readonly nextOffset: number;
}

export interface CatalogueEntry {
  readonly source: Source;
  readonly kind: string;
  readonly field: string;
  readonly points: number;
  /** How many lines of its kind (of a scalar: of its points) have a step, and an epoch. */
  readonly steps: number;
  readonly epochs: number;
}

export interface LinesQuery {
  readonly runId: string;
  readonly kinds: readonly string[];
  readonly source?: Source | undefined;
  readonly limit: number;
}

/** A run whose record cannot be opened: `run_newer`, or `file_unreadable`. Its files are left unchanged. */
export interface RunProblem {
  readonly runId: string;
  readonly error: WireError;
}

/** Which runs are listed; a field that is omitted restricts nothing. */
export interface RunFilter {
  readonly labId?: string | undefined;
  /** Without the runs that had ended before this time, in Unix seconds. `Infinity`: only those that have not ended. */
  readonly endedSince?: number | undefined;
}

export interface Store {
  /**
   * Newest first. Runs that cannot be opened are in `problems` instead. Only the records that are listed are read: all of
   * thousands of runs take seconds.
   */
  listRuns(which?: RunFilter): Promise<RunRecord[]>;
  problems(): Promise<RunProblem[]>;
  /** Rejects with `run_newer` or `file_unreadable` where the run exists but cannot be opened. */
  getRun(runId: string): Promise<RunRecord | undefined>;
  /**
   * Flushed before it resolves: `run.json` in the run's folder (renamed) and the index. Call it before the run's
   * first `append`. Never overwrites a record of a newer version.
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
  /** Byte offset to read from next, 0 for an unknown source. */
  offset(runId: string, source: Source): Promise<number>;
  /** The highest `seq` of a source's lines, -1 without one. */
  lastSeq(runId: string, source: Source): Promise<number>;
  /** The node's file shrank: stored lines stay, reading starts over at 0 and duplicates are dropped by seq. */
  restart(runId: string, source: Source): Promise<void>;

  /**
   * Points in ascending x, at most `maxPoints` for a series: all of them, or else the first, the last and the
   * extremes of each bucket, with its mean, and a null where values were not finite. Lines without a step (or epoch) are placed by
   * `t`. Work that a resume discarded is omitted along steps and epochs, but kept along time.
   */
  series(query: SeriesQuery): Promise<Series[]>;
  /** The axes (`step`, `epoch`, `t`) are not series. */
  catalogue(runId: string): Promise<CatalogueEntry[]>;
  /** The newest `limit` lines of these kinds, oldest first: by seq within a source, by time between sources. */
  lines(query: LinesQuery): Promise<Point[]>;
  /** Stored points (lines) of a run. */
  countPoints(runId: string): Promise<number>;
  /** Every stored line of a run in order of source and seq, page by page: for CSV and JSON exports. */
  allLines(runId: string): AsyncIterable<Point>;

  getSetting(name: string): Promise<string | undefined>;
  setSetting(name: string, value: string): Promise<void>;
  /** Finishes pending work. Later calls reject with `cancelled`. */
  close(): Promise<void>;
}

export interface StoreOptions {
  /** Called when damage was found and repaired while the store was in use. */
  readonly onRepaired?: (damage: WireError) => void;
}

export interface OpenedStore {
  readonly store: Store;
  /** The damaged files that were set aside on opening: the database is rebuilt from the run folders (fault 35). */
  readonly repaired: readonly WireError[];
}
