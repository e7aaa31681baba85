/** The keys of local nodes: created once, stored in the data folder, readable by the user only. */
import { randomUUID } from 'node:crypto';
import { mkdir, link, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import ssh2 from 'ssh2';
import { RinglabError } from '../../shared/base/errors.ts';
import { phrase } from '../i18n/index.ts';

const { utils } = ssh2;

export interface AppKey {
  /** OpenSSH private key text. */
  readonly private: string;
  /** The public key in wire format. */
  readonly public: Buffer;
}

function parse(path: string, text: string): AppKey {
  const key = utils.parseKey(text);
  if (key instanceof Error || !key.isPrivateKey()) {
    const reason = key instanceof Error ? key.message : phrase('reasons.key.none');
    throw new RinglabError('file_unreadable', { path, reason });
  }
  return { private: text, public: key.getPublicSSH() };
}

const generateEd25519 = (): string => utils.generateKeyPairSync('ed25519', { comment: 'ringlab' }).private;

/** ssh2 1.17 cannot read about one in some hundred ed25519 keys that it generates: such keys are discarded. */
export function newKeyText(generate: () => string = generateEd25519): string {
  for (;;) {
    const text = generate();
    if (!(utils.parseKey(text) instanceof Error)) return text;
  }
}

/** Reads a key, or creates it (ed25519, mode 0600). Throws `file_unreadable` or `file_unwritable`. */
export async function keepKey(path: string): Promise<AppKey> {
  try {
    return parse(path, await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof RinglabError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOENT') {
      const reason = error instanceof Error ? error.message : String(error);
      throw new RinglabError('file_unreadable', { path, reason }, { cause: error });
    }
  }
  const text = newKeyText();
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    // Unlike a rename, a link does not replace a key that another process created meanwhile.
    await link(temporary, path).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
    return parse(path, await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof RinglabError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new RinglabError('file_unwritable', { path, reason }, { cause: error });
  } finally {
    await rm(temporary, { force: true });
  }
}
