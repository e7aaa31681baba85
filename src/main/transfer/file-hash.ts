/** SHA-256 of files, streamed. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { RinglabError } from '../../shared/errors.ts';

/** Lower-case hex. Throws `file_unreadable`, or the signal's reason. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  try {
    const stream = createReadStream(path, {
      highWaterMark: 1 << 18,
      ...(signal === undefined ? {} : { signal }),
    });
    // A read stream without an encoding gives Buffers.
    for await (const chunk of stream) hash.update(chunk as Buffer);
  } catch (error) {
    signal?.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new RinglabError('file_unreadable', { path, reason }, { where: path, cause: error });
  }
  return hash.digest('hex');
}

export const hashText = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
