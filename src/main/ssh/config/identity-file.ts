/** Tells which kind of key is in a file that the SSH configuration names: a public one stands for a key of the agent. */
import ssh2 from 'ssh2';
import { stat } from 'node:fs/promises';
import { readOwnFile } from '../../base/own-file.ts';

const largest = 256 * 1024;

/** Whether a file's content is a public key, as in a file `.pub`. */
export const isPublicKey = (text: string): boolean => /^(ssh-|ecdsa-|sk-)\S+ AAAA/.test(text);

/** The public key of a private key's file: of the file `.pub` beside it, or of a key that is not encrypted. */
export async function publicKeyAt(path: string): Promise<Buffer | undefined> {
  for (const one of [`${path}.pub`, path]) {
    const text = await readOwnFile(one, largest).catch(() => undefined);
    const key = text === undefined ? undefined : ssh2.utils.parseKey(text);
    if (key !== undefined && !(key instanceof Error)) return key.getPublicSSH();
  }
  return undefined;
}

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
