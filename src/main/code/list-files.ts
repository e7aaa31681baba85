/**
 * Lists the files of a script's folder that are sent: without `.git`, what `.gitignore` and `.ringlabignore` exclude,
 * caches of Python, virtual environments and results of runs. Reads names and sizes, no contents.
 */
import type { Stats } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { RinglabError } from '../../shared/base/errors.ts';
import { maxCodeParts, type CodePart } from '../../shared/run/code-size.ts';
import { reasonOf, WordedError } from '../base/reason.ts';
import { phrase } from '../i18n/index.ts';
import type { Tracked } from './git.ts';
import { rulesAbove, rulesIn, type IgnoreRules } from './ignore-rules.ts';

const maxFiles = 20_000;
const maxBytes = 512 * 1024 ** 2;
/** Where listing gives up: what is big is known long before. */
const maxListed = 20 * maxFiles;

export interface ListedFile {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly size: number;
  readonly executable: boolean;
}

/** Also names that a transfer uses for itself, and where `ringlab run` puts results. */
const neverSent = /^(\.git|__pycache__|ringlab-out|\.ringlab-.*|.*\.pyc)$/;

/** What git knows of the folder. */
interface Place {
  /** Sent even where a pattern of `.gitignore` excludes them, not where one of `.ringlabignore` does. */
  readonly tracked: Tracked;
  /** Where the folder lies in a work tree, whose ignore files above it count, too. */
  readonly prefix?: string;
}

/**
 * Sorted by path. Links to places below the root are followed.
 * @throws code_link_outside, code_too_large, file_unreadable, or the signal's reason
 */
export async function listFiles(
  root: string,
  { tracked, prefix = '' }: Place = { tracked: new Map() },
  signal?: AbortSignal,
): Promise<ListedFile[]> {
  const whole = await realpath(root).catch((error: unknown) => {
    throw unreadable(root, error);
  });
  const top = join(
    whole,
    ...prefix
      .split('/')
      .slice(1)
      .map(() => '..'),
  );
  const trackedFolders = new Set([...tracked.keys()].flatMap(foldersOf));
  const files: ListedFile[] = [];
  const visit = async (folder: string, above: readonly string[], outer: IgnoreRules): Promise<void> => {
    signal?.throwIfAborted();
    const rules = await rulesIn(top, `${prefix}${folder}`.replace(/\/$/, ''), outer);
    const isIgnored = (path: string, isFolder: boolean): boolean => {
      const isTracked = tracked.has(path) || (isFolder && trackedFolders.has(path));
      return (isTracked ? rules.own : rules.all).ignores(`${prefix}${path}${isFolder ? '/' : ''}`);
    };
    const names = await readdir(join(whole, folder)).catch((error: unknown) => {
      throw unreadable(join(root, folder), error);
    });
    if (folder !== '' && names.includes('pyvenv.cfg')) return;
    for (const name of names) {
      if (neverSent.test(name)) continue;
      const path = folder === '' ? name : `${folder}/${name}`;
      const own = await lstat(join(whole, path)).catch(() => undefined);
      // Before a link is refused: its name may be excluded.
      if (isIgnored(path, own?.isDirectory() === true)) continue;
      if (own === undefined && name.includes('\uFFFD'))
        throw unreadable(join(root, path), new WordedError(phrase('reasons.nameNotUtf8')));
      const found = own === undefined ? undefined : await entryOf(root, whole, path, own);
      if (found === undefined) continue;
      if (found.isFolder) {
        if (above.includes(found.real)) continue;
        if (own?.isSymbolicLink() === true && isIgnored(path, true)) continue;
        await visit(path, [...above, found.real], rules);
      } else {
        // Files of Windows have no such mode: there git knows it.
        const executable = process.platform === 'win32' ? tracked.get(path) === true : found.executable;
        files.push({ path, size: found.size, executable });
        if (files.length > maxListed) throw tooLarge(root, files, true);
      }
    }
  };
  await visit('', [whole], await rulesAbove(top, prefix));
  if (files.length > maxFiles || sumOf(files) > maxBytes) throw tooLarge(root, files, false);
  return files.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

const foldersOf = (path: string): string[] => {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
};

/** Undefined for what is neither a file nor a folder, and for a link that leads nowhere. */
async function entryOf(
  root: string,
  whole: string,
  path: string,
  own: Stats,
): Promise<{ isFolder: boolean; size: number; executable: boolean; real: string } | undefined> {
  const full = join(whole, path);
  const described = (entry: Stats, real: string) =>
    entry.isDirectory() || entry.isFile()
      ? { isFolder: entry.isDirectory(), size: entry.size, executable: (entry.mode & 0o100) !== 0, real }
      : undefined;
  if (!own.isSymbolicLink()) return described(own, full);
  const real = await realpath(full).catch(() => undefined);
  if (real === undefined) return undefined;
  const inside = relative(whole, real);
  if (inside === '..' || inside.startsWith(`..${sep}`) || inside.startsWith(sep) || /^[A-Za-z]:/.test(inside))
    throw new RinglabError('code_link_outside', { path: join(root, path), target: real }, { where: root });
  return described(await stat(real), real);
}

export const sumOf = (files: readonly ListedFile[]): number => files.reduce((sum, { size }) => sum + size, 0);

/** The files and folders at the top, those first that take the largest share of what may be sent. */
export function largestParts(files: readonly ListedFile[]): CodePart[] {
  const parts = new Map<string, CodePart>();
  for (const { path, size } of files) {
    const [first = path, ...rest] = path.split('/');
    const part = rest.length === 0 ? first : `${first}/`;
    const known = parts.get(part) ?? { path: part, files: 0, bytes: 0 };
    parts.set(part, { path: part, files: known.files + 1, bytes: known.bytes + size });
  }
  const weight = (part: CodePart): number => Math.max(part.files / maxFiles, part.bytes / maxBytes);
  return [...parts.values()]
    .sort((a, b) => weight(b) - weight(a) || b.bytes - a.bytes)
    .slice(0, maxCodeParts);
}

function tooLarge(root: string, files: readonly ListedFile[], more: boolean): RinglabError {
  const big = largestParts(files).map(
    (part) => `${part.path} (${part.files}, ${(part.bytes / 1024 ** 2).toFixed(1)} MiB)`,
  );
  return new RinglabError(
    'code_too_large',
    {
      path: root,
      files: `${files.length}${more ? '+' : ''}`,
      bytes: sumOf(files),
      maxFiles,
      maxBytes,
      big: big.join(', '),
    },
    { where: root },
  );
}

const unreadable = (path: string, error: unknown): RinglabError =>
  new RinglabError('file_unreadable', { path, reason: reasonOf(error) }, { where: path, cause: error });
