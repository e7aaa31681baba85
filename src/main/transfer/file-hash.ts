/** SHA-256 of files, streamed. */
import { createHash } from 'node:crypto';
import { RinglabError } from '../../shared/base/errors.ts';
import { openOwnFile } from '../base/own-file.ts';
import { reasonOf } from '../base/reason.ts';

/** Lower-case hex. Throws `file_unreadable`, or the signal's reason. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  try {
    // A former file may be a pipe by now, which would block.
    const { file } = await openOwnFile(path, Number.MAX_SAFE_INTEGER);
    const stream = file.createReadStream({
      highWaterMark: 1 << 18,
      ...(signal === undefined ? {} : { signal }),
    });
    // A read stream without an encoding gives Buffers.
    for await (const chunk of stream) hash.update(chunk as Buffer);
  } catch (error) {
    signal?.throwIfAborted();
    throw new RinglabError(
      'file_unreadable',
      { path, reason: reasonOf(error) },
      { where: path, cause: error },
    );
  }
  return hash.digest('hex');
}

export const hashText = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
