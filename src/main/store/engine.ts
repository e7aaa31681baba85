/** The store's engine in the worker: the raw files are the source of truth, the index is derived from them. */
import { join } from 'node:path';
import { createKeyedQueue } from '../base/serial-queue.ts';
import type { Point, Series, SeriesQuery, Source } from '../../shared/metrics/metrics.ts';
import type { NodeClock } from '../../shared/node/node-clock.ts';
import type { RunRecord } from '../../shared/run/run.ts';
import { standardShape, type Shape } from './block.ts';
import type { Appended, CatalogueEntry, Chunk, LinesQuery, RunFilter, RunProblem } from './contract.ts';
import { isDamage } from './database.ts';
import { realDisk, type Disk } from './durable.ts';
import { IndexFile } from './index-file.ts';
import { LateFlush } from './late-flush.ts';
import { lockDataFolder, type DataFolderLock } from './lock.ts';
import { newestOf } from './newest.ts';
import { OpenLogs } from './open-logs.ts';
import { hasSource, RawFile, sourcesIn } from './raw.ts';
import { checkRunId, checkSource, clocksOf, noRun } from './run-source.ts';
import { openRuns, type RunFolders } from './runs.ts';
import { readSeries } from './series.ts';
import { SettingsFile } from './settings.ts';
import { SourceLog } from './source.ts';
import type { RinglabError } from '../../shared/base/errors.ts';

/** Lines of a page of `allLines`: some hundred kilobytes. */
const pageLines = 1000;

export interface EngineOptions {
  readonly dataFolder: string;
  readonly shape?: Shape;
  readonly disk?: Disk;
  /** Called when damage was found and repaired while the store was in use. */
  readonly onRepaired?: (damage: RinglabError) => void;
}

/** The position from which a page of `allLines` starts: after this line of the first of these sources, which are listed once. */
export interface Cursor {
  readonly sources: readonly Source[];
  readonly seq: number;
}
export interface Page {
  readonly points: Point[];
  readonly next: Cursor | undefined;
}

export class Engine {
  /** Damage that was found and repaired on opening. */
  readonly repaired: readonly RinglabError[];
  readonly #options: EngineOptions;
  readonly #shape: Shape;
  readonly #lock: DataFolderLock;
  readonly #settings: SettingsFile;
  readonly #runs: RunFolders;
  readonly #disk: Disk;
  readonly #flushes: LateFlush;
  readonly #logs = new OpenLogs<SourceLog>((runId, source) => this.#openLog(runId, source));
  /** Serialises changes of a run. */
  readonly #inTurn = createKeyedQueue();
  readonly #indexFile: IndexFile;

  /** Throws `data_folder_busy`, `local_disk_full`, `file_unwritable`. */
  constructor(options: EngineOptions) {
    const { dataFolder } = options;
    this.#options = options;
    this.#shape = options.shape ?? standardShape;
    this.#disk = options.disk ?? realDisk;
    this.#flushes = new LateFlush(this.#disk);
    this.#lock = lockDataFolder(dataFolder);
    let opened: IndexFile | undefined;
    try {
      opened = new IndexFile(join(dataFolder, 'index.db'), this.#shape);
      this.#indexFile = opened;
      this.#settings = new SettingsFile(dataFolder);
      this.#runs = openRuns(dataFolder, opened);
      this.repaired = [opened.repaired, this.#settings.repaired].filter((one) => one !== undefined);
    } catch (error) {
      opened?.close();
      this.#lock.release();
      throw opened?.translate(error) ?? error;
    }
  }

  /** Runs `work`; where the index turns out to be damaged it is rebuilt, once, and `work` runs again. */
  async #guarded<T>(work: () => T | Promise<T>): Promise<T> {
    const { index } = this.#indexFile;
    try {
      return await work();
    } catch (error) {
      // Another call has replaced the index meanwhile: only retry.
      if (this.#indexFile.index === index) {
        if (!isDamage(error)) throw this.#indexFile.translate(error);
        this.#repair(error);
      }
      try {
        return await work();
      } catch (again) {
        throw this.#indexFile.translate(again);
      }
    }
  }

  #repair(error: unknown): void {
    this.#logs.clear();
    const damage = this.#indexFile.replace(error);
    this.#runs.useIndex(this.#indexFile.index);
    this.#options.onRepaired?.(damage);
  }

  listRuns(which?: RunFilter): Promise<RunRecord[]> {
    return this.#guarded(() => this.#runs.list(which));
  }

  problems(): Promise<RunProblem[]> {
    return this.#guarded(() => this.#runs.problems());
  }

  async getRun(runId: string): Promise<RunRecord | undefined> {
    checkRunId(runId);
    return this.#guarded(() => this.#runs.get(runId));
  }

  saveRun(run: RunRecord): Promise<void> {
    checkRunId(run.id);
    return this.#inTurn(run.id, () => this.#guarded(() => this.#runs.save(run)));
  }

  deleteRun(runId: string): Promise<void> {
    checkRunId(runId);
    return this.#inTurn(runId, () =>
      this.#guarded(() => {
        if (this.#runs.get(runId) === undefined) throw noRun(runId);
        this.#logs.drop(runId);
        this.#runs.delete(runId);
      }),
    );
  }

  append(chunk: Chunk): Promise<Appended> {
    return this.#inTurn(chunk.runId, () =>
      this.#guarded(async () => {
        checkRunId(chunk.runId);
        const run = this.#runs.get(chunk.runId);
        if (run === undefined) throw noRun(chunk.runId);
        const log = await this.#logs.get(chunk.runId, checkSource(chunk.source));
        log.clock.clocks = clocksOf(run, chunk.source);
        const appended = log.append(chunk.offset, chunk.bytes);
        if (log.broken !== undefined) {
          this.#logs.drop(chunk.runId, chunk.source);
          if (isDamage(log.broken)) this.#repair(log.broken);
        }
        return appended;
      }),
    );
  }

  offset(runId: string, source: Source): Promise<number> {
    return this.#ofSource(runId, source, (log) => log.offset);
  }

  lastSeq(runId: string, source: Source): Promise<number> {
    return this.#ofSource(runId, source, (log) => log.lastSeq);
  }

  #ofSource(runId: string, source: Source, read: (log: SourceLog) => number): Promise<number> {
    return this.#inTurn(runId, () =>
      this.#guarded(async () => {
        this.#checkRun(runId);
        return read(await this.#logs.get(runId, checkSource(source)));
      }),
    );
  }

  restart(runId: string, source: Source): Promise<void> {
    return this.#inTurn(runId, () =>
      this.#guarded(async () => {
        this.#checkRun(runId);
        if (this.#runs.get(runId) === undefined) throw noRun(runId);
        (await this.#logs.get(runId, checkSource(source))).restart();
      }),
    );
  }

  series(query: SeriesQuery): Promise<Series[]> {
    return this.#guarded(async () => {
      this.#checkRun(query.runId);
      const present = new Set(sourcesIn(this.#runs.folder(query.runId)));
      const drawn: Series[] = [];
      for (const key of query.series) {
        const log = present.has(key.source) ? await this.#logs.get(query.runId, key.source) : undefined;
        const table = log?.table(key.kind, key.field);
        const column = table?.columns.get(key.field);
        drawn.push(
          log === undefined || table === undefined || column === undefined
            ? { key, x: [], y: [], total: 0, newest: -1 }
            : { key, ...readSeries(table, column, log.cutsOf(table), { ...query }), newest: table.lastSeq },
        );
      }
      return drawn;
    });
  }

  catalogue(runId: string): Promise<CatalogueEntry[]> {
    return this.#guarded(async () => {
      const found: CatalogueEntry[] = [];
      for (const log of await this.#logsOf(runId)) {
        for (const table of log.summaries()) {
          const { kind, columns, steps, epochs } = table;
          for (const { name: field, points } of columns)
            found.push({ source: log.source, kind, field, points, steps, epochs });
        }
      }
      return found;
    });
  }

  lines({ runId, kinds, source, limit }: LinesQuery): Promise<Point[]> {
    return this.#guarded(async () => newestOf(await this.#logsOf(runId, source), kinds, limit));
  }

  countPoints(runId: string): Promise<number> {
    return this.#guarded(async () => (await this.#logsOf(runId)).reduce((sum, log) => sum + log.points, 0));
  }

  /** The next lines after `cursor` in order of source and seq. */
  page(runId: string, cursor: Cursor | undefined): Promise<Page> {
    return this.#guarded(async () => {
      this.#checkRun(runId);
      const sources = cursor?.sources ?? sourcesIn(this.#runs.folder(runId));
      const [source, ...following] = sources;
      if (source === undefined) return { points: [], next: undefined };
      const lines = (await this.#logs.get(runId, source)).linesAfter(cursor?.seq ?? -1, pageLines);
      const next =
        lines.length === pageLines
          ? { sources, seq: lines.at(-1)?.seq ?? 0 }
          : following.length === 0
            ? undefined
            : { sources: following, seq: -1 };
      return { points: lines.map((line): Point => ({ source, line })), next };
    });
  }

  getSetting(name: string): string | undefined {
    return this.#settings.get(name);
  }

  setSetting(name: string, value: string): Promise<void> {
    return this.#settings.set(name, value);
  }

  /** Finishes pending work and writes everything that is only in memory, so that the next start is quick. */
  async close(): Promise<void> {
    await this.#inTurn.settled();
    await this.#logs.close();
    await this.#flushes.all();
    this.#indexFile.close();
    this.#lock.release();
  }

  #checkRun(runId: string): void {
    checkRunId(runId);
    if (!this.#runs.exists(runId)) throw noRun(runId);
  }

  async #logsOf(runId: string, only?: Source): Promise<SourceLog[]> {
    this.#checkRun(runId);
    const logs: SourceLog[] = [];
    const folder = this.#runs.folder(runId);
    const sources = only === undefined ? sourcesIn(folder) : hasSource(folder, only) ? [only] : [];
    for (const source of sources) logs.push(await this.#logs.get(runId, source));
    return logs;
  }

  /** None where the record cannot be opened: its lines are read anyway. */
  #clocksIn(runId: string, source: Source): readonly NodeClock[] | undefined {
    try {
      const run = this.#runs.get(runId);
      return run === undefined ? undefined : clocksOf(run, source);
    } catch (error) {
      if (isDamage(error)) throw error;
      return undefined;
    }
  }

  async #openLog(runId: string, source: Source): Promise<SourceLog> {
    const raw = new RawFile(this.#runs.folder(runId), source, this.#disk, this.#flushes);
    const log = new SourceLog({ index: this.#indexFile.index, shape: this.#shape, runId, source, raw });
    log.clock.clocks = this.#clocksIn(runId, source);
    // In pieces, so that other runs' lines are stored meanwhile.
    while (log.catchUp()) await new Promise((resolve) => setImmediate(resolve));
    return log;
  }
}
