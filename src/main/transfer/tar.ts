/**
 * A small streaming ustar writer for sources and data sets; deterministic on every host (no owners, no local times).
 * Names or sizes beyond ustar's fields get a pax header (POSIX.1-2001).
 */
import { open } from 'node:fs/promises';
import { RinglabError } from '../../shared/base/errors.ts';
import { reasonOf } from '../base/reason.ts';
import { phrase } from '../i18n/index.ts';
import type { Phrase } from '../../shared/base/phrase.ts';

const block = 512;
/** ustar's size field: eleven octal digits. */
const ustarMaxSize = 8 ** 11 - 1;

export interface TarEntry {
  /** Relative, with `/`. */
  readonly path: string;
  readonly mode?: number;
  readonly content: { readonly bytes: Uint8Array } | { readonly file: string; readonly size: number };
}

const sizeOf = (entry: TarEntry): number =>
  'bytes' in entry.content ? entry.content.bytes.length : entry.content.size;
const padding = (size: number): number => (block - (size % block)) % block;

/**
 * The archive in pieces of at most 64 KiB with its end marker. Throws `file_unreadable` where a file cannot be read
 * or is shorter than its entry says: the archive would be damaged.
 */
async function* writeTar(entries: Iterable<TarEntry>, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    signal?.throwIfAborted();
    const size = sizeOf(entry);
    yield headers(entry.path, entry.mode ?? 0o644, size);
    if ('bytes' in entry.content) yield entry.content.bytes;
    else yield* readExactly(entry.content.file, size, signal);
    if (padding(size) > 0) yield new Uint8Array(padding(size));
  }
  yield new Uint8Array(2 * block);
}

/** The whole archive in memory: for small content. */
export async function tarBytes(entries: Iterable<TarEntry>, signal?: AbortSignal): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeTar(entries, signal)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* readExactly(file: string, size: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const handle = await open(file).catch((error: unknown) => {
    throw unreadable(file, reasonOf(error));
  });
  try {
    let left = size;
    while (left > 0) {
      signal?.throwIfAborted();
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(left, 65_536)), 0);
      if (bytesRead === 0) throw unreadable(file, phrase('reasons.shorter', { count: left }));
      left -= bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

const unreadable = (path: string, reason: string | Phrase): RinglabError =>
  new RinglabError('file_unreadable', { path, reason }, { where: path });

function headers(path: string, mode: number, size: number): Uint8Array {
  const split = splitPath(path);
  if (split !== undefined && size <= ustarMaxSize) return header(split.name, split.prefix, mode, size, '0');
  const records = [
    paxRecord('path', path),
    ...(size > ustarMaxSize ? [paxRecord('size', String(size))] : []),
  ];
  const body = Buffer.from(records.join(''), 'utf8');
  return Buffer.concat([
    header('PaxHeader', '', 0o644, body.length, 'x'),
    body,
    Buffer.alloc(padding(body.length)),
    header('long-name', '', mode, size > ustarMaxSize ? 0 : size, '0'),
  ]);
}

/** ustar keeps 100 bytes of name and 155 of prefix, split at a slash; undefined where the path does not fit. */
function splitPath(path: string): { name: string; prefix: string } | undefined {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' };
  // Only ASCII is split: there byte and character offsets are equal.
  if (Buffer.byteLength(path) !== path.length) return undefined;
  for (let at = path.indexOf('/'); at >= 0 && at <= 155; at = path.indexOf('/', at + 1)) {
    if (path.length - at - 1 <= 100) return { name: path.slice(at + 1), prefix: path.slice(0, at) };
  }
  return undefined;
}

/** "<length> key=value\n", where the length counts itself. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length + rest !== length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}

function header(name: string, prefix: string, mode: number, size: number, type: string): Buffer {
  const bytes = Buffer.alloc(block);
  const octal = (value: number, at: number, width: number): void => {
    bytes.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at, 'latin1');
  };
  bytes.write(name, 0, 'utf8');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  bytes.write(' '.repeat(8), 148, 'latin1');
  bytes.write(type, 156, 'latin1');
  bytes.write('ustar\0' + '00', 257, 'latin1');
  bytes.write(prefix, 345, 'utf8');
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}
