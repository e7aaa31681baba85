/**
 * The index: one SQLite file beside the runs' folders that can be rebuilt from them. WAL with synchronous=FULL; one
 * connection, in the store's worker.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import * as z from 'zod';
import { decodeBlock, encodeBlock, IndexDamaged, type Shape } from './block.ts';

/** Also of what the rows say: 7 does not take late records for a clock that was set back. */
const schemaVersion = 7;
/** A file up to this size is checked completely when it is opened; damage to a larger one is detected when it is read. */
const checkedWhole = 32 * 1024 * 1024;

/** As SQLite stores it, statement by statement. */
const schema = `
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE runs(run TEXT PRIMARY KEY, stamp TEXT NOT NULL, record TEXT, error TEXT) WITHOUT ROWID;
CREATE TABLE sources(run TEXT, source TEXT, position INTEGER NOT NULL, cuts TEXT NOT NULL,
  clock TEXT NOT NULL, PRIMARY KEY(run, source)) WITHOUT ROWID;
CREATE TABLE tables(id INTEGER PRIMARY KEY, run TEXT NOT NULL, source TEXT NOT NULL, kind TEXT NOT NULL,
  field TEXT NOT NULL, keys INTEGER NOT NULL, rows INTEGER NOT NULL, firsts BLOB NOT NULL, axes TEXT NOT NULL);
CREATE INDEX tables_of ON tables(run, source);
CREATE TABLE columns(id INTEGER PRIMARY KEY, tbl INTEGER NOT NULL, name TEXT NOT NULL, first_block INTEGER NOT NULL,
  points INTEGER NOT NULL);
CREATE INDEX columns_of ON columns(tbl);
CREATE TABLE blocks(id INTEGER PRIMARY KEY, data BLOB NOT NULL);
`;

/** Decoded blocks kept in memory, at most 32 KiB each. */
const keptBlocks = 1024;

/** The index and SQLite's additional files. */
const files = ['', '-wal', '-shm'];

/** Levels of a column's blocks: the values, and two of the pyramid. */
export type Level = 0 | 1 | 2;

/** A block's id, below 2^53: column · 2^26 + level · 2^24 + number, so that a column's blocks are adjacent. */
const blockId = (column: number, level: Level, no: number): number => column * 2 ** 26 + level * 2 ** 24 + no;

const Row = z.record(z.string(), z.union([z.string(), z.number(), z.null(), z.instanceof(Uint8Array)]));
export type Row = z.infer<typeof Row>;

export class Index {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #kept = new Map<number, Float64Array>();
  #nextId: number;

  private constructor(path: string, database: DatabaseSync) {
    this.path = path;
    this.#database = database;
    this.#nextId = 1;
  }

  /**
   * Opens or creates the index; one of another version is replaced. Throws IndexDamaged, or SQLite's own error, where
   * the file cannot be used.
   */
  static open(path: string, shape: Shape): Index {
    const index = Index.#try(path, shape);
    if (index !== undefined) return index;
    for (const suffix of files) rmSync(path + suffix, { force: true });
    const made = Index.#try(path, shape);
    if (made === undefined) throw new IndexDamaged('the index cannot be made anew');
    return made;
  }

  /** Undefined where the index is of another version. */
  static #try(path: string, shape: Shape): Index | undefined {
    const database = new DatabaseSync(path, { timeout: 2000 });
    try {
      database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536;');
      const index = new Index(path, database);
      if (index.#prepare(shape)) return index;
      database.close();
      return undefined;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  #prepare(shape: Shape): boolean {
    const wanted = JSON.stringify({ schema: schemaVersion, ...shape });
    const made = this.all("SELECT name FROM sqlite_schema WHERE name = 'meta'").length > 0;
    if (!made) {
      this.transaction(() => {
        this.#database.exec(schema);
        this.run("INSERT INTO meta VALUES('shape', ?)", wanted);
      });
    } else if (this.all("SELECT value FROM meta WHERE name = 'shape'")[0]?.value !== wanted) {
      return false;
    } else if (statSync(this.path).size <= checkedWhole) {
      const result = this.all('PRAGMA integrity_check(1)')[0]?.integrity_check;
      if (result !== 'ok') throw new IndexDamaged(String(result));
    }
    this.#checkSchema();
    const highest = (sql: string): number => Number(this.all(sql)[0]?.id ?? 0);
    this.#nextId =
      1 +
      Math.max(
        highest('SELECT max(id) AS id FROM columns'),
        highest('SELECT max(keys) + 3 AS id FROM tables'),
        highest('SELECT max(id) AS id FROM tables'),
      );
    return true;
  }

  /** SQLite does not notice a changed letter of a column's name: queries would return nothing of that column. */
  #checkSchema(): void {
    const stored = new Set(this.all('SELECT sql FROM sqlite_schema').map(({ sql }) => sql));
    for (const statement of schema.split(';').map((text) => text.trim()))
      if (statement !== '' && !stored.has(statement)) throw new IndexDamaged('its schema differs');
  }

  /** `count` consecutive ids, for tables and columns; not stored until a row with them is. */
  allocate(count: number): number {
    const first = this.#nextId;
    this.#nextId += count;
    return first;
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql)
      .all(...values)
      .map((row) => Row.parse(row));
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#statement(sql).run(...values);
  }

  transaction(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      // SQLite has already rolled back after some errors (disk full, corrupt).
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** The `count` values of a block; shared, must not be modified. Throws IndexDamaged where it is missing or invalid. */
  block(column: number, level: Level, no: number, count: number): Float64Array {
    const id = blockId(column, level, no);
    let values = this.#kept.get(id);
    if (values?.length === count) this.#kept.delete(id);
    else {
      const row = this.#statement('SELECT data FROM blocks WHERE id = ?').get(id);
      values = decodeBlock(row?.data instanceof Uint8Array ? row.data : undefined, count);
    }
    // Removed and inserted again, so that the first in the map is the least recently used.
    this.#kept.set(id, values);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > keptBlocks && oldest.done === false) this.#kept.delete(oldest.value);
    return values;
  }

  writeBlock(column: number, level: Level, no: number, values: Float64Array): void {
    const id = blockId(column, level, no);
    this.#kept.delete(id);
    this.run(
      'INSERT INTO blocks VALUES(?, ?) ON CONFLICT(id) DO UPDATE SET data = excluded.data',
      id,
      encodeBlock(values),
    );
  }

  /** Removes a run, or one of its sources, from the index. Call inside a transaction. */
  forget(run: string, source?: string): void {
    const where = source === undefined ? 'run = ?' : 'run = ? AND source = ?';
    const which = source === undefined ? [run] : [run, source];
    this.#kept.clear();
    for (const table of this.all(`SELECT id, keys FROM tables WHERE ${where}`, ...which)) {
      const keys = Number(table.keys);
      for (const column of this.all('SELECT id FROM columns WHERE tbl = ?', Number(table.id)))
        this.#forgetColumns(Number(column.id), Number(column.id));
      this.#forgetColumns(keys, keys + 3);
      this.run('DELETE FROM columns WHERE tbl = ?', Number(table.id));
    }
    this.run(`DELETE FROM tables WHERE ${where}`, ...which);
    this.run(`DELETE FROM sources WHERE ${where}`, ...which);
  }

  #forgetColumns(first: number, last: number): void {
    this.run('DELETE FROM blocks WHERE id >= ? AND id < ?', blockId(first, 0, 0), blockId(last + 1, 0, 0));
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** SQLite's primary result code (11 corrupt, 13 full, 26 not a database), or undefined for other errors. */
export function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined;
}

/** Whether the index file itself is bad, so that rebuilding it helps. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  // SQLITE_CORRUPT, SQLITE_NOTADB; SQLITE_ERROR: our statements do not match a table whose schema is damaged.
  return error instanceof IndexDamaged || code === 11 || code === 26 || code === 1;
}

/** Moves a damaged index aside; keeps the newest one for analysis. */
export function moveAside(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    if (/^index-damaged-\d+\.db/.test(name)) rmSync(join(folder, name), { force: true });
  }
  const aside = join(folder, `index-damaged-${Date.now()}.db`);
  for (const suffix of files) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
}

/** Validates JSON that the index itself wrote. Throws IndexDamaged. */
export function readStored<T>(text: unknown, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(String(text)));
  } catch {
    throw new IndexDamaged('a stored value does not parse');
  }
}
