/**
 * What macOS puts beside each file on drives without extended attributes: `._1.jpg` beside `1.jpg`. It has the ending of an image and is
 * none; the trainer would take it for a damaged one.
 */
import { open } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { partOf, type FolderManifest } from '../../transfer/index.ts';

const prefix = '._';
const mark = Buffer.from([0x00, 0x05, 0x16, 0x07]);

const hasMark = async (path: string): Promise<boolean> => {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(mark.length), 0, mark.length, 0);
  return bytesRead === mark.length && buffer.equals(mark);
};

/** A file of the user with such a name stays: their content has a mark. */
export async function withoutAppleDouble(
  manifest: FolderManifest,
  signal?: AbortSignal,
): Promise<FolderManifest> {
  const beside = new Set<string>();
  for (const { path } of manifest.files) {
    signal?.throwIfAborted();
    if (
      posix.basename(path).startsWith(prefix) &&
      (await hasMark(join(manifest.root, path)).catch(() => false))
    )
      beside.add(path);
  }
  return beside.size === 0
    ? manifest
    : partOf(
        manifest,
        manifest.files.filter(({ path }) => !beside.has(path)),
      );
}

/** The same by names alone, where no content is read: those beside a file of that name. */
export function withoutBeside<F extends { readonly path: string }>(files: readonly F[]): F[] {
  const paths = new Set(files.map(({ path }) => path));
  const isBeside = (path: string): boolean => {
    const name = posix.basename(path);
    return name.startsWith(prefix) && paths.has(posix.join(posix.dirname(path), name.slice(prefix.length)));
  };
  return files.filter(({ path }) => !isBeside(path));
}
