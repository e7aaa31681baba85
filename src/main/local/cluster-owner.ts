/** Who the app is in a cluster: its pods are named after it, so that no other app takes them for its own. */
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RinglabError } from '../../shared/base/errors.ts';

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/**
 * A random word, kept in the data folder: its path may be the same on many computers. Throws `file_unwritable`. Synchronous,
 * since a cluster's pods have names as soon as it is named.
 */
export function clusterOwner(dataFolder: string): string {
  const path = join(dataFolder, 'cluster-owner');
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    try {
      return readFileSync(path, 'utf8').trim();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${randomUUID()}\n`, { mode: 0o600, flag: 'wx', flush: true });
    try {
      // Unlike a rename, a link does not replace what another process created meanwhile.
      linkSync(temporary, path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RinglabError('file_unwritable', { path, reason }, { cause: error });
  } finally {
    rmSync(temporary, { force: true });
  }
}
