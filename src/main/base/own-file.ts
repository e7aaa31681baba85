/**
 * Files of this computer that something from outside names: a lab, a setting, a page. Only a regular file of a bounded size is
 * ever opened for reading; a device, a pipe, a socket or a folder is refused, and opening it does not wait for anybody.
 */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** Why it is not read, in words that complete 'cannot be read: …'. */
class OwnFileRefusal extends Error {}

const words: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'it may not be read',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it does not exist',
  ELOOP: 'it is a link that leads to itself',
  ENXIO: 'it is no regular file',
};

/**
 * @param maxBytes a larger one is refused unread
 * @throws OwnFileRefusal
 */
export async function openOwnFile(
  path: string,
  maxBytes: number,
): Promise<{ file: FileHandle; size: number }> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK a pipe would be waited for until somebody writes into it.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK || 0) | (constants.O_NOCTTY || 0));
    const found = await file.stat();
    if (found.isDirectory()) throw new OwnFileRefusal('it is a folder');
    if (!found.isFile()) throw new OwnFileRefusal('it is no regular file');
    if (found.size > maxBytes) throw new OwnFileRefusal(`it is larger than ${maxBytes} bytes`);
    return { file, size: found.size };
  } catch (error) {
    await file?.close();
    if (error instanceof OwnFileRefusal) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = words[code] ?? (error instanceof Error ? error.message : String(error));
    throw new OwnFileRefusal(reason, { cause: error });
  }
}

/**
 * The first bytes, at most so many; also of files that say that they are empty and are not, as those of /proc.
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
 * The whole of a small file.
 * @throws OwnFileRefusal
 */
export async function readOwnFile(path: string, maxBytes: number): Promise<Buffer> {
  const { file } = await openOwnFile(path, maxBytes);
  try {
    const bytes = await begin(file, maxBytes + 1);
    if (bytes.length > maxBytes) throw new OwnFileRefusal(`it is larger than ${maxBytes} bytes`);
    return bytes;
  } finally {
    await file.close();
  }
}

/**
 * Its size and its beginning, which shows what kind it is.
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
