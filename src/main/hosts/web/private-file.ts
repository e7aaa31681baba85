/** Small private files for the same user's other processes: readable by their owner only, replaced atomically. */
import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

export async function writePrivate(path: string, text: string): Promise<void> {
  const part = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    // 'wx': never follows a link or overwrites an existing file.
    await writeFile(part, text, { mode: 0o600, flag: 'wx' });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
