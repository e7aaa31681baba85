/**
 * Reads local files whose path comes from outside: a lab, a setting, a page. Only regular files of a limited size are
 * opened for reading; a device, a pipe, a socket or a folder is refused without blocking.
 */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { phrase, type en } from '../i18n/index.ts';
import { reasonOf, WordedError } from './reason.ts';

/** The reason completes the sentence 'cannot be read: …'. */
class OwnFileRefusal extends WordedError {}

/** By the system's code. */
const known: Readonly<Partial<Record<string, keyof typeof en.reasons.ownFile>>> = {
  ENOENT: 'absent',
  EACCES: 'noRights',
  EISDIR: 'folder',
  ENOTDIR: 'absent',
  ELOOP: 'loop',
  ENXIO: 'notRegular',
};

/**
 * @param maxBytes a larger file is refused unread
 * @throws OwnFileRefusal
 */
export async function openOwnFile(
  path: string,
  maxBytes: number,
): Promise<{ file: FileHandle; size: number }> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe would block until somebody writes into it.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK || 0) | (constants.O_NOCTTY || 0));
    const found = await file.stat();
    if (found.isDirectory()) throw new OwnFileRefusal(phrase('reasons.ownFile.folder'));
    if (!found.isFile()) throw new OwnFileRefusal(phrase('reasons.ownFile.notRegular'));
    if (found.size > maxBytes) throw new OwnFileRefusal(phrase('reasons.ownFile.large', { limit: maxBytes }));
    return { file, size: found.size };
  } catch (error) {
    await file?.close();
    if (error instanceof OwnFileRefusal) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const word = known[code];
    const reason = word === undefined ? reasonOf(error) : phrase(`reasons.ownFile.${word}`);
    throw new OwnFileRefusal(reason, { cause: error });
  }
}

/**
 * At most so many first bytes; also of files that report size 0 but have content, as in /proc.
 * @throws OwnFileRefusal
 */
async function begin(file: FileHandle, max: number): Promise<Buffer> {
  const buffer = Buffer.alloc(max);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, max - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === max) return buffer.subarray(0, length);
  }
}

/**
 * Reads a whole small file.
 * @throws OwnFileRefusal
 */
export async function readOwnFile(path: string, maxBytes: number): Promise<Buffer> {
  const { file } = await openOwnFile(path, maxBytes);
  try {
    const bytes = await begin(file, maxBytes + 1);
    if (bytes.length > maxBytes)
      throw new OwnFileRefusal(phrase('reasons.ownFile.large', { limit: maxBytes }));
    return bytes;
  } finally {
    await file.close();
  }
}

/**
 * Returns the file's size and its first bytes, which show its type.
 * @throws OwnFileRefusal
 */
export async function lookAtOwnFile(
  path: string,
  maxBytes: number,
  max = 64 * 1024,
): Promise<{ size: number; head: Buffer }> {
  const { file, size } = await openOwnFile(path, maxBytes);
  try {
    return { size, head: await begin(file, max) };
  } finally {
    await file.close();
  }
}
