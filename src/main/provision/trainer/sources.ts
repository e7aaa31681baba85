/**
 * The trainer's sources for sending: their files, their hash (equal to native/cmake/source_hash.cmake), and an
 * archive.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RinglabError } from '../../../shared/base/errors.ts';
import { hashText, tarBytes } from '../../transfer/index.ts';
import { createHash } from 'node:crypto';
import type { Phrase } from '../../../shared/base/phrase.ts';
import { phrase } from '../../i18n/index.ts';

export interface TrainerSources {
  /** The `source_hash` that the trainer's `facts` print when it was built from these files. */
  readonly hash: string;
  /** `0.1.0`, from CMakeLists.txt. */
  readonly version: string;
  /** A deterministic ustar archive of them. */
  archive(): Promise<Uint8Array>;
}

/** Not sent and not hashed: files that are not needed to build the trainer. */
const leftOut = /^(build[^/]*|tests|bench)$/;
const wanted = /\.(cpp|h|cmake)$|^CMakeLists\.txt$/;

/** Throws `file_unreadable` where the folder is not the trainer's. */
export async function readSources(folder: string): Promise<TrainerSources> {
  const paths: string[] = [];
  const visit = async (relative: string): Promise<void> => {
    for (const entry of await readdir(join(folder, relative), { withFileTypes: true })) {
      const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory() && !(relative === '' && leftOut.test(entry.name))) await visit(path);
      else if (entry.isFile() && wanted.test(entry.name)) paths.push(path);
    }
  };
  const unreadable = (reason: string | Phrase, cause?: unknown): RinglabError =>
    new RinglabError('file_unreadable', { path: folder, reason }, { where: folder, cause });
  const files: { path: string; bytes: Uint8Array }[] = [];
  try {
    await visit('');
    // Byte order, as CMake's list(SORT): independent of the locale.
    paths.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (const path of paths) files.push({ path, bytes: await readFile(join(folder, path)) });
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error), error);
  }
  const lists = files.find(({ path }) => path === 'CMakeLists.txt');
  if (lists === undefined) throw unreadable(phrase('reasons.noCMakeLists'));
  const text = files.map(
    ({ path, bytes }) => `${path} ${createHash('sha256').update(bytes).digest('hex')}\n`,
  );
  const version = /project\([^)]*\bVERSION\s+([\d.]+)/i.exec(Buffer.from(lists.bytes).toString('utf8'))?.[1];
  return {
    hash: hashText(text.join('')),
    version: version ?? '0',
    archive: () => tarBytes(files.map(({ path, bytes }) => ({ path, content: { bytes } }))),
  };
}
