/** `runs/<id>/run.json`: the record of a run, replaced atomically; the index keeps a copy for quick listing. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { fromWireError, RinglabError, toWireError, WireError } from '../../shared/base/errors.ts';
import { labVersion } from '../../shared/lab/lab.ts';
import { isEnded, type RunRecord } from '../../shared/run/run.ts';
import { StoredRun } from '../../shared/run/stored-run.ts';
import type { RunFilter, RunProblem } from './contract.ts';
import { readStored, type Index } from './database.ts';
import { diskError, isUnfinished, removeEmpty, replaceFile, syncFolder } from './durable.ts';
import { isDamage } from './database.ts';
import type { IndexFile } from './index-file.ts';

const runVersion = 1;
/** A lab of the largest size with a thousand ranks fits; a larger file is not a run's record. */
const largestRecord = 64 * 1024 * 1024;
/** Maximum number of cached records: each stored line needs its run's. */
const maxHeld = 64;
const trash = '.trash-';

export const RunId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

const Versions = z.looseObject({
  version: z.number().optional(),
  lab: z.looseObject({ version: z.number().optional() }).optional(),
});

/** Throws `run_newer` or `file_unreadable`. */
export function parseRun(text: string, id: string, path: string): RunRecord {
  const unreadable = (reason: string): RinglabError => new RinglabError('file_unreadable', { path, reason });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error));
  }
  const versions = Versions.safeParse(value);
  const newer =
    versions.success &&
    ((versions.data.version ?? 0) > runVersion || (versions.data.lab?.version ?? 0) > labVersion);
  if (newer) throw new RinglabError('run_newer', { id }, { where: path });
  const parsed = StoredRun.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw unreadable(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  if (parsed.data.id !== id) throw unreadable(`id: ${parsed.data.id} ≠ ${id}`);
  return parsed.data;
}

/** JSON has no `NaN`, and a schema has limits: a record beyond them would take its run with it. Throws `internal`. */
function mustBeReadable(text: string, path: string): void {
  const issue = StoredRun.safeParse(JSON.parse(text)).error?.issues[0];
  if (issue === undefined) return;
  const detail = `${issue.path.join('.')}: ${issue.message}`;
  throw new RinglabError('internal', {}, { where: path, detail });
}

/** By what runs are chosen for a list. */
interface Head {
  readonly labId: string;
  /** Unix seconds; `Infinity` where it has not ended. */
  readonly endedAt: number;
}

const headOf = ({ labId, state, endedAt = 0 }: RunRecord): Head => ({
  labId,
  endedAt: isEnded(state) ? endedAt : Infinity,
});

const isListed = (head: Head, { labId = head.labId, endedSince = -Infinity }: RunFilter): boolean =>
  head.labId === labId && head.endedAt >= endedSince;

export class RunFolders {
  readonly root: string;
  #index: Index;
  readonly #replaceFile: typeof replaceFile;
  readonly #held = new Map<string, RunRecord>();
  /** Of all records that can be read, since they were first listed. */
  #heads: Map<string, Head> | undefined;

  /**
   * The caller holds the data folder's lock.
   * @param replace how records are written, so that tests can simulate a full disk
   */
  constructor(dataFolder: string, index: Index, replace = replaceFile) {
    this.#replaceFile = replace;
    this.root = join(dataFolder, 'runs');
    this.#index = index;
    mkdirSync(this.root, { recursive: true });
    for (const name of readdirSync(this.root)) {
      // Of an app that ended before it had written the run's first record, as on a full disk.
      const isUnwritten = RunId.safeParse(name).success && isUnfinished(this.#file(name));
      if (name.startsWith(trash) || isUnwritten)
        rmSync(join(this.root, name), { recursive: true, force: true });
    }
    this.reconcile();
  }

  useIndex(index: Index): void {
    this.#index = index;
    this.#held.clear();
    this.#heads = undefined;
    this.reconcile();
  }

  folder(id: string): string {
    return join(this.root, id);
  }

  #file(id: string): string {
    return join(this.folder(id), 'run.json');
  }

  /**
   * Updates the index from the folders: records that are new, changed or deleted. One that could not be read is read
   * again: its reason, such as a lock or a failing disk, leaves no trace in the file.
   */
  reconcile(): void {
    const stored = new Map(
      this.#index
        .all('SELECT run, stamp, error IS NULL AS read FROM runs')
        .map((row) => [String(row.run), row.read === 1 ? String(row.stamp) : undefined]),
    );
    const there = readdirSync(this.root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && RunId.safeParse(entry.name).success)
      .map((entry) => entry.name);
    const changed = there.filter((id) => stored.get(id) !== this.#stamp(id));
    for (const id of there) stored.delete(id);
    if (changed.length === 0 && stored.size === 0) return;
    this.#index.transaction(() => {
      for (const id of changed) this.#indexFile(id);
      for (const id of stored.keys()) {
        this.#index.run('DELETE FROM runs WHERE run = ?', id);
        this.#index.forget(id);
      }
    });
  }

  /** Detects changes of run.json without reading it. */
  #stamp(id: string): string {
    try {
      const { size, mtimeMs, ino } = statSync(this.#file(id));
      return `${size} ${mtimeMs} ${ino}`;
    } catch {
      return 'none';
    }
  }

  #indexFile(id: string): void {
    const stamp = this.#stamp(id);
    let record: string | null = null;
    let error: string | null = null;
    try {
      record = JSON.stringify(this.#read(id));
    } catch (thrown) {
      error = JSON.stringify(toWireError(thrown));
    }
    this.#index.run('INSERT OR REPLACE INTO runs VALUES(?, ?, ?, ?)', id, stamp, record, error);
  }

  #read(id: string): RunRecord {
    const path = this.#file(id);
    let text: string;
    try {
      const { size } = statSync(path);
      if (size > largestRecord) throw new Error(`${size} B > ${largestRecord} B`);
      text = readFileSync(path, 'utf8');
    } catch (error) {
      throw new RinglabError('file_unreadable', {
        path,
        reason: error instanceof Error ? error.message : '',
      });
    }
    return parseRun(text, id, path);
  }

  list(which: RunFilter = {}): RunRecord[] {
    const isWhole = which.labId === undefined && which.endedSince === undefined;
    const found = isWhole || this.#heads === undefined ? this.#readAll() : this.#readSome(this.#heads, which);
    return found
      .filter((run) => isWhole || isListed(headOf(run), which))
      .sort((a, b) => b.createdAt - a.createdAt);
  }

  #readAll(): RunRecord[] {
    const all = this.#index
      .all('SELECT record FROM runs WHERE record IS NOT NULL')
      .map((row) => readStored(row.record, StoredRun));
    this.#heads = new Map(all.map((run) => [run.id, headOf(run)]));
    return all;
  }

  /** Without keeping them in `#held`, where they would displace the runs that are written. */
  #readSome(heads: ReadonlyMap<string, Head>, which: RunFilter): RunRecord[] {
    return [...heads]
      .filter(([, head]) => isListed(head, which))
      .flatMap(([id]) => {
        const held = this.#held.get(id);
        if (held !== undefined) return [held];
        const rows = this.#index.all('SELECT record FROM runs WHERE run = ?', id);
        return rows.map((row) => readStored(row.record, StoredRun));
      });
  }

  problems(): RunProblem[] {
    return this.#index
      .all('SELECT run, error FROM runs WHERE error IS NOT NULL ORDER BY run')
      .map((row) => ({ runId: String(row.run), error: readStored(row.error, WireError) }));
  }

  /** Undefined where there is no such run. Throws `run_newer` or `file_unreadable` where it cannot be opened. */
  get(id: string): RunRecord | undefined {
    const held = this.#held.get(id);
    if (held !== undefined) return held;
    const row = this.#index.all('SELECT record, error FROM runs WHERE run = ?', id)[0];
    if (row === undefined) return undefined;
    if (row.error !== null) throw fromWireError(readStored(row.error, WireError));
    return this.#hold(readStored(row.record, StoredRun));
  }

  #hold(run: RunRecord): RunRecord {
    this.#held.delete(run.id);
    this.#held.set(run.id, run);
    const oldest = this.#held.keys().next();
    if (this.#held.size > maxHeld && oldest.done === false) this.#held.delete(oldest.value);
    return run;
  }

  exists(id: string): boolean {
    return this.#index.all('SELECT 1 FROM runs WHERE run = ?', id).length > 0;
  }

  /** Refuses to overwrite a record that this version cannot read, and to write one that it could not read again. */
  async save(run: RunRecord): Promise<void> {
    this.get(run.id);
    const text = JSON.stringify(run);
    mustBeReadable(text, this.#file(run.id));
    await this.#write(run.id, `${text}\n`);
    this.#index.run('INSERT OR REPLACE INTO runs VALUES(?, ?, ?, NULL)', run.id, this.#stamp(run.id), text);
    this.#hold(run);
    this.#heads?.set(run.id, headOf(run));
  }

  async #write(id: string, text: string): Promise<void> {
    const folder = this.folder(id);
    const made = !existsSync(folder);
    try {
      mkdirSync(folder, { recursive: true });
      await this.#replaceFile(this.#file(id), text);
      if (made) await syncFolder(this.root);
    } catch (error) {
      // Empty it would be reported as a run that cannot be read.
      if (made) removeEmpty(folder);
      throw diskError(error, this.#file(id));
    }
  }

  /** Renames the folder first; remains after a crash are removed at the next start. */
  delete(id: string): void {
    this.#held.delete(id);
    this.#heads?.delete(id);
    const aside = join(this.root, `${trash}${id}`);
    if (existsSync(this.folder(id))) renameSync(this.folder(id), aside);
    try {
      // On a full disk this makes the room that the index needs.
      rmSync(aside, { recursive: true, force: true });
    } finally {
      this.#index.transaction(() => {
        this.#index.run('DELETE FROM runs WHERE run = ?', id);
        this.#index.forget(id);
      });
    }
  }
}

/** Damage may also be detected when the runs are first read from the index. */
export function openRuns(dataFolder: string, file: IndexFile): RunFolders {
  try {
    return new RunFolders(dataFolder, file.index);
  } catch (error) {
    if (!isDamage(error)) throw error;
    file.replace(error);
    return new RunFolders(dataFolder, file.index);
  }
}
