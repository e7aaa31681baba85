/** A source: one followed file of a run, with its raw bytes and the tables of its lines. */
import type { MetricLine, Point, Source } from '../../shared/metrics/metrics.ts';
import { metricNumber, parseMetricLine } from '../../shared/metrics/metrics.ts';
import * as z from 'zod';
import { RinglabError } from '../../shared/base/errors.ts';
import { absent, IndexDamaged, type Shape } from './block.ts';
import { readStored, sqliteCode, type Index } from './database.ts';
import { findLines, finiteOr, indexedFields, scalarFields, type FoundLine } from './found-lines.ts';
import { storedTables } from './load-tables.ts';
import type { RawFile } from './raw.ts';
import { ScalarTables } from './scalar-tables.ts';
import { collectEndKind } from '../../shared/run/newest-of-ranks.ts';
import { scalarKind } from '../../shared/run/run-outputs.ts';
import { ClockState, SourceClock } from './source-clock.ts';
import { linesKind, Table } from './table.ts';
import type { TableSummary } from './table-summary.ts';
import { attemptCuts, type Cut } from './visible.ts';
import type { Appended } from './contract.ts';

const newline = 0x0a;
/** Maximum number of indexed kinds; lines of more kinds are kept and exported, but not found by kind. */
const maxKinds = 200;
const maxCuts = 1000;
/** Maximum number of blocks held only in memory while the disk is too full for the index. */
const maxUnwritten = 32;
const readBytes = 4 * 1024 * 1024;
/** Maximum bytes of a line in an event; windows request longer ones from the store. The event log holds thousands. */
const longestReported = 32 * 1024;

const Cuts = z.array(z.object({ seq: z.number(), step: z.number(), epoch: z.number() }));

export interface SourceParts {
  readonly index: Index;
  readonly shape: Shape;
  readonly runId: string;
  readonly source: Source;
  readonly raw: RawFile;
}

export class SourceLog {
  readonly source: Source;
  readonly #index: Index;
  readonly #shape: Shape;
  readonly #runId: string;
  readonly #raw: RawFile;
  #lines: Table;
  readonly #kinds = new Map<string, Table>();
  readonly #scalars: ScalarTables;
  cuts: Cut[] = [];
  clock = new SourceClock();
  /** Set once the tables differ from the raw file: must be loaded again. */
  broken: unknown;
  /** Position up to which the tables match the raw file. */
  #indexed = 0;
  #unwritten = 0;

  constructor({ index, shape, runId, source, raw }: SourceParts) {
    this.source = source;
    this.#index = index;
    this.#shape = shape;
    this.#runId = runId;
    this.#raw = raw;
    this.#lines = new Table(index, shape, { kind: linesKind, field: '' });
    this.#scalars = new ScalarTables(index, shape);
    this.#load();
  }

  #load(): void {
    const row = this.#index.all(
      'SELECT position, cuts, clock FROM sources WHERE run = ? AND source = ?',
      this.#runId,
      this.source,
    )[0];
    if (row === undefined) return;
    const position = Number(row.position);
    if (position > this.#raw.end) {
      // The raw file has lost its end (a power cut): rebuild from what it still has.
      this.#index.transaction(() => this.#index.forget(this.#runId, this.source));
      return;
    }
    for (const [content, stored] of storedTables(this.#index, this.#runId, this.source)) {
      if (content.field !== '') {
        this.#scalars.put(content, stored);
        continue;
      }
      const table = new Table(this.#index, this.#shape, content, stored);
      if (table.kind === linesKind) this.#lines = table;
      else this.#kinds.set(table.kind, table);
    }
    this.cuts = readStored(row.cuts, Cuts);
    this.clock = new SourceClock(readStored(row.clock, ClockState));
    this.#indexed = position;
  }

  /** Indexes one piece of the raw file; false once there is nothing more. */
  catchUp(): boolean {
    if (this.#indexed >= this.#raw.end) return false;
    let bytes = this.#raw.cutAtHole(this.#indexed, this.#raw.read(this.#indexed, readBytes));
    if (this.#indexed >= this.#raw.end) return false;
    const last = bytes.lastIndexOf(newline);
    if (last >= 0) bytes = bytes.subarray(0, last + 1);
    else if (bytes.byteLength === 0)
      throw new RinglabError('file_unreadable', { path: this.source, reason: 'EIO' });
    for (const found of findLines(bytes, this.#indexed, this.#lines).found) this.#insert(found);
    this.#indexed += bytes.byteLength;
    if (this.#isDue()) {
      try {
        this.write();
      } catch (error) {
        // While the disk is full, continues in memory up to a limit.
        if (sqliteCode(error) !== 13 || this.#unwritten > maxUnwritten * this.#writeAfter()) throw error;
      }
    }
    return this.#indexed < this.#raw.end;
  }

  get offset(): number {
    return this.#raw.offset;
  }

  get points(): number {
    return this.#lines.rows;
  }

  get lastSeq(): number {
    return this.#lines.lastSeq;
  }

  /** The table that holds a series. */
  table(kind: string, field: string): Table | undefined {
    return kind === scalarKind ? this.#scalars.get(field) : this.#kinds.get(kind);
  }

  summaries(): TableSummary[] {
    return [...[...this.#kinds.values()].map((table) => table.summary()), ...this.#scalars.summaries()];
  }

  /** Numbers in memory. */
  get held(): number {
    return [this.#lines, this.#scalars, ...this.#kinds.values()].reduce((sum, { held }) => sum + held, 0);
  }

  /** Number of lines that are collected before the index is written. */
  #writeAfter(): number {
    return Math.max(this.#shape.rows, this.#scalars.patience);
  }

  #isDue(): boolean {
    return this.#unwritten >= this.#writeAfter();
  }

  /**
   * Stores whole lines from `offset` of the node's file. Raw bytes are written before anything else changes. Throws
   * `bad_request` for a hole, `local_disk_full`.
   */
  append(offset: number, bytes: Uint8Array): Appended {
    const known = this.#raw.offset;
    if (offset > known) {
      throw new RinglabError(
        'bad_request',
        { path: 'offset', problem: `${offset} > ${known}` },
        { where: `${this.#runId}/${this.source}` },
      );
    }
    const end = bytes.lastIndexOf(newline) + 1;
    const fresh = bytes.subarray(Math.min(known - offset, end), end);
    if (fresh.byteLength === 0) return { points: [], badLines: 0, nextOffset: known };
    // Before the raw bytes, so that a disk too full for the index pauses reading instead of filling the memory.
    if (this.#isDue()) this.write();
    const position = this.#raw.end;
    const { found, bad } = findLines(fresh, position, this.#lines);
    this.#raw.append(fresh);
    this.#indexed = this.#raw.end;
    const points: Point[] = [];
    let unreported = 0;
    try {
      for (const line of found) {
        const point: Point = { source: this.source, line: this.#insert(line) };
        if (line.length <= longestReported) points.push(point);
        else unreported += 1;
      }
    } catch (error) {
      // The bytes are stored; only the derived data must be rebuilt.
      this.broken = error;
    }
    points.sort((a, b) => a.line.seq - b.line.seq);
    return {
      points,
      badLines: bad,
      nextOffset: this.#raw.offset,
      ...(unreported === 0 ? {} : { unreported }),
    };
  }

  restart(): void {
    this.#raw.restart();
  }

  /** Returns the line with the time that it is indexed with. */
  #insert({ line: written, position, length }: FoundLine): MetricLine {
    const line = this.clock.dated(written);
    const { seq, t, kind } = line;
    const row = { seq, t, step: finiteOr(line.step), epoch: finiteOr(line.epoch) };
    this.#unwritten += 1;
    this.#lines.insert({ seq, t, step: absent, epoch: absent }, [
      ['position', position],
      ['length', length],
    ]);
    if (kind === 'start') this.#addCut(line);
    const table = this.#kinds.get(kind) ?? this.#addKind(kind);
    if (kind === scalarKind) {
      // The kind's own table has the rows alone, for the newest lines of all names.
      table?.insert(row, []);
      this.#scalars.insert(row, scalarFields(line));
    } else table?.insert(row, indexedFields(line));
    return line;
  }

  #addKind(kind: string): Table | undefined {
    if (this.#kinds.size >= maxKinds) return undefined;
    const table = new Table(this.#index, this.#shape, { kind, field: '' });
    this.#kinds.set(kind, table);
    return table;
  }

  #addCut(line: MetricLine): void {
    const step = metricNumber(line.start_step);
    if (step === undefined) return;
    const epoch = metricNumber(line.start_epoch) ?? Number.MAX_VALUE;
    this.cuts = [...this.cuts, { seq: line.seq, step, epoch }].sort((a, b) => a.seq - b.seq).slice(-maxCuts);
  }

  /** Writes the tables to the index in one transaction. On failure nothing is lost: everything is in the raw file. */
  write(): void {
    if (this.#unwritten === 0) return;
    // The index must never be ahead of the raw file.
    this.#raw.flush();
    const after: (() => void)[] = [];
    this.#index.transaction(() => {
      after.length = 0;
      for (const table of [this.#lines, ...this.#kinds.values(), ...this.#scalars.loaded()])
        after.push(table.write(this.#runId, this.source));
      this.#index.run(
        'INSERT OR REPLACE INTO sources VALUES(?, ?, ?, ?, ?)',
        this.#runId,
        this.source,
        this.#indexed,
        JSON.stringify(this.cuts),
        JSON.stringify(this.clock.state),
      );
    });
    for (const finish of after) finish();
    this.#unwritten = 0;
  }

  /** What later attempts did again of a table's lines. */
  cutsOf(table: Table): readonly Cut[] {
    return table.kind === scalarKind ? attemptCuts(table, this.#kinds.get(collectEndKind)) : this.cuts;
  }

  /** Up to `limit` lines with a seq above `after`, in order of seq. */
  linesAfter(after: number, limit: number): MetricLine[] {
    const first = this.#lines.find(after + 1);
    const last = Math.min(this.#lines.rows, first + limit);
    return this.#readLines(Array.from({ length: last - first }, (_, i) => first + i));
  }

  /** The rows of a kind's lines. */
  rowsOf(kind: string): Table | undefined {
    return this.#kinds.get(kind);
  }

  linesAt(seqs: readonly number[]): MetricLine[] {
    return this.#readLines(seqs.map((seq) => this.#lines.find(seq)));
  }

  #readLines(rows: readonly number[]): MetricLine[] {
    const place = (name: string, row: number): number =>
      this.#lines.columns.get(name)?.valueAt(row) ?? absent;
    const lines: MetricLine[] = [];
    let window: { from: number; bytes: Uint8Array } | undefined;
    for (const row of rows) {
      const position = place('position', row);
      const length = place('length', row);
      const inside =
        window !== undefined &&
        position >= window.from &&
        position + length <= window.from + window.bytes.length;
      if (window === undefined || !inside)
        window = { from: position, bytes: this.#raw.read(position, Math.max(length, 256 * 1024)) };
      const from = position - window.from;
      const parsed = parseMetricLine(
        Buffer.from(window.bytes.subarray(from, from + length)).toString('utf8'),
      );
      if (!parsed.ok) throw new IndexDamaged('the index points beside a line');
      lines.push({ ...parsed.line, t: this.#lines.keyAt('t', row) });
    }
    return lines;
  }
}
