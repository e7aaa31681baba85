/** Tells which kind of key is in a file that the SSH configuration names: a public one stands for a key of the agent. */
import { stat } from 'node:fs/promises';
import { readOwnFile } from '../../base/own-file.ts';

const largest = 256 * 1024;

/** Whether a file's content is a public key, as in a file `.pub`. */
export const isPublicKey = (text: string): boolean => /^(ssh-|ecdsa-|sk-)\S+ AAAA/.test(text);

/** undefined where there is no such file. Any other that is not public counts as private: the login says what is wrong with it. */
export async function keyFileAt(path: string): Promise<'private' | 'public' | undefined> {
  try {
    return isPublicKey((await readOwnFile(path, largest)).toString('latin1')) ? 'public' : 'private';
  } catch {
    const isThere = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    );
    return isThere ? 'private' : undefined;
  }
}
