/** Small private files for the same user's other processes: readable by their owner only, replaced atomically. */
import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { diskError } from '../../store/index.ts';

/** Rejects with `local_disk_full` or `file_unwritable`. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const part = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    // 'wx': never follows a link or overwrites an existing file. Flushed before it has its name, which a power cut would
    // otherwise leave with an empty file.
    await writeFile(part, text, { mode: 0o600, flag: 'wx', flush: true });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw diskError(error, path);
  }
}
