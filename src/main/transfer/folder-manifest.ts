/** Lists a local folder before it is sent: relative path, size and SHA-256 of each file. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, posix, resolve } from 'node:path';
import { RinglabError } from '../../shared/base/errors.ts';
import { reasonOf, WordedError } from '../base/reason.ts';
import { phrase } from '../i18n/index.ts';
import { hashFile, hashText } from './file-hash.ts';

export interface ManifestFile {
  /** Relative path on the node, with `/`. */
  readonly path: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Of code: the node may execute it. */
  readonly executable?: true;
}

export interface FolderManifest {
  /** Absolute local path. */
  readonly root: string;
  /** The folder's name, safe for a path on the node. */
  readonly name: string;
  /** In byte order of their paths. */
  readonly files: readonly ManifestFile[];
  readonly bytes: number;
  /** Of all paths and contents, and which are executable: independent of the data set's location. */
  readonly hash: string;
}

export interface ManifestOptions {
  /** Only these folders and files below the root, which must exist. */
  readonly parts: readonly string[];
  /** Filter for file names; default: all. */
  readonly only?: RegExp;
  /** Paths of executable files; default: none, as of a data set. */
  readonly executable?: ReadonlySet<string>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { done: number; total: number }) => void;
}

/** Maximum number of files read concurrently; more does not make a disk faster. */
const readers = 4;

/** A line of `sha256sum`; a name with a backslash or a line break is escaped as in GNU's, and `-` would be its standard input. */
export function sumLine({ path, sha256 }: Pick<ManifestFile, 'path' | 'sha256'>): string {
  if (!/[\\\n\r]/.test(path)) return `${sha256}  ${path === '-' ? './-' : path}\n`;
  const escaped = path.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `\\${sha256}  ${escaped}\n`;
}

export const sumLines = (files: readonly ManifestFile[]): string => files.map(sumLine).join('');

/** Without executable files the same as in versions that did not know them. */
function hashOf(files: readonly ManifestFile[]): string {
  const marks = files.filter(({ executable }) => executable).map(({ path }) => `executable  ${path}\n`);
  return hashText(sumLines(files) + marks.join('')).slice(0, 16);
}

/** Follows symbolic links. Throws `data_missing` for a missing part, `file_unreadable`, or the signal's reason. */
export async function readFolder(folder: string, options: ManifestOptions): Promise<FolderManifest> {
  const root = resolve(folder);
  const found: { path: string; size: number }[] = [];
  for (const part of options.parts) {
    const entry = await stat(join(root, part)).catch(() => undefined);
    if (entry?.isFile() === true) {
      found.push({ path: posix.normalize(part), size: entry.size });
      continue;
    }
    if (entry?.isDirectory() !== true) {
      throw new RinglabError('data_missing', { path: join(root, part) }, { where: root });
    }
    await walk(root, part, new Set(), found, options);
  }
  const order = found
    .map((file) => ({ ...file, bytes: Buffer.from(file.path) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  const total = found.reduce((sum, { size }) => sum + size, 0);
  const sums = new Map<string, string>();
  let done = 0;
  const queue = order.values();
  const read = async (): Promise<void> => {
    for (const { path, size } of queue) {
      sums.set(path, await hashFile(join(root, path), options.signal));
      done += size;
      options.onProgress?.({ done, total });
    }
  };
  await Promise.all(Array.from({ length: readers }, read));
  const files = order.map(({ path, size }): ManifestFile => ({
    path,
    size,
    sha256: sums.get(path) ?? '',
    ...(options.executable?.has(path) === true ? { executable: true } : {}),
  }));
  const name = basename(root)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-.]+/, '')
    .slice(0, 60);
  return {
    root,
    name: name === '' ? 'data' : name,
    files,
    bytes: total,
    hash: hashOf(files),
  };
}

/** A manifest of a subset of its files. */
export const partOf = (whole: FolderManifest, files: readonly ManifestFile[]): FolderManifest => ({
  ...whole,
  files,
  bytes: files.reduce((sum, { size }) => sum + size, 0),
  hash: hashOf(files),
});

async function walk(
  root: string,
  relative: string,
  above: ReadonlySet<string>,
  found: { path: string; size: number }[],
  options: Pick<ManifestOptions, 'only' | 'signal'>,
): Promise<void> {
  const { only, signal } = options;
  signal?.throwIfAborted();
  const here = join(root, relative);
  try {
    const real = await realpath(here);
    // A symbolic link to a parent folder would never end.
    if (above.has(real)) return;
    for (const name of await readdir(here)) {
      const path = `${relative}/${name}`;
      if (name.includes('\uFFFD')) throw new WordedError(phrase('reasons.nameNotUtf8'));
      const entry = await stat(join(root, path));
      if (entry.isDirectory()) await walk(root, path, new Set([...above, real]), found, options);
      else if (entry.isFile() && only?.test(name) !== false) found.push({ path, size: entry.size });
    }
  } catch (error) {
    if (error instanceof RinglabError) throw error;
    signal?.throwIfAborted();
    throw new RinglabError(
      'file_unreadable',
      { path: here, reason: reasonOf(error) },
      { where: here, cause: error },
    );
  }
}
