/** Exports a run's lines as CSV and JSON files, streamed so that memory use does not depend on their number. */
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { csvCell } from '../../../shared/base/csv.ts';
import { numericFields, type MetricLine, type Point } from '../../../shared/metrics/metrics.ts';
import { diskError } from '../../store/index.ts';

/** Enough for every field of 64 GPUs; further fields are omitted from the CSV, never from the JSON. */
const maxColumns = 2000;

/** Writes to a temporary file, then renames. Resolves with the bytes written. Rejects with `local_disk_full`, `file_unwritable`. */
async function writeStreamed(
  path: string,
  pieces: AsyncIterable<string>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const temporary = `${path}.part`;
  try {
    await pipeline(Readable.from(pieces), createWriteStream(temporary), { ...(signal && { signal }) });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw signal?.aborted === true ? error : diskError(error, path);
  }
  return (await stat(path)).size;
}

/** Excel reads UTF-8 only behind it; programs that know UTF-8 need none before ASCII. */
const byteOrderMark = '\uFEFF';
const isAscii = (text: string): boolean => /^[\x00-\x7F]*$/.test(text);

/** Iterates over the run's lines; called twice for the CSV, whose header needs every field. */
export type Lines = () => AsyncIterable<Point>;

export async function writeCsv(path: string, lines: Lines, signal?: AbortSignal): Promise<number> {
  const columns = new Set<string>();
  for await (const { line } of lines()) {
    for (const name of flatFields(line).keys()) if (columns.size < maxColumns) columns.add(name);
    signal?.throwIfAborted();
  }
  async function* rows(): AsyncGenerator<string> {
    const header = csvRow([...fixed, ...columns]);
    yield isAscii(header) ? header : byteOrderMark + header;
    for await (const { source, line } of lines()) {
      const fields = flatFields(line);
      yield csvRow([
        source,
        String(line.seq),
        String(line.t),
        line.kind,
        ...[...columns].map((name) => fields.get(name) ?? ''),
      ]);
    }
  }
  return await writeStreamed(path, rows(), signal);
}

export async function writeJson(path: string, lines: Lines, signal?: AbortSignal): Promise<number> {
  async function* items(): AsyncGenerator<string> {
    let before = '[\n';
    for await (const { source, line } of lines()) {
      yield `${before}${JSON.stringify({ source, ...line })}`;
      before = ',\n';
    }
    yield before === '[\n' ? '[]\n' : '\n]\n';
  }
  return await writeStreamed(path, items(), signal);
}

/** Columns that every line has; a field of a script's line of the same name is in the JSON. */
const fixed = ['source', 'seq', 't', 'kind'] as const;
const isFixed = (name: string): boolean => (fixed as readonly string[]).includes(name);

/** Numbers under their flat names, and the text fields. */
function flatFields(line: MetricLine): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(line)) {
    if (isFixed(name)) continue;
    if (typeof value === 'string' || typeof value === 'boolean') fields.set(name, String(value));
  }
  for (const [name, value] of numericFields(line)) if (!isFixed(name)) fields.set(name, String(value));
  return fields;
}

const csvRow = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;
