/**
 * Passwords and passphrases, encrypted with the system's keyring (Electron's safeStorage) in a file of mode 0600.
 * Without a keyring only in memory: Chromium's `basic_text` is hardly encrypted.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SafeStorage } from 'electron';
import * as z from 'zod';
import { createSerialQueue } from '../../base/serial-queue.ts';
import type { SecretStore } from '../../base/platform.ts';
import { memorySecrets } from '../cli/memory-secrets.ts';

const SecretFile = z.object({ version: z.literal(1), values: z.record(z.string(), z.string()) });
type SecretFile = z.infer<typeof SecretFile>;

type Vault = Pick<
  SafeStorage,
  'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'
>;

/** Call once Electron is ready. */
export async function openSecrets(
  vault: Vault,
  path: string,
  platform: NodeJS.Platform,
): Promise<SecretStore> {
  // The method exists only on Linux.
  const backend = platform === 'linux' ? vault.getSelectedStorageBackend() : 'system';
  if (backend === 'basic_text' || backend === 'unknown') return memorySecrets();
  if (!(await vault.isAsyncEncryptionAvailable().catch(() => false))) return memorySecrets();
  return keyringSecrets(vault, path);
}

function keyringSecrets(vault: Vault, path: string): SecretStore {
  /** Serialised, so that concurrent changes are not lost. */
  const inTurn = createSerialQueue();
  const change = (edit: (values: Record<string, string>) => void): Promise<void> =>
    inTurn(async () => {
      const file = await read(path);
      edit(file.values);
      await write(path, file);
    });
  const seal = async (value: string): Promise<string> =>
    (await vault.encryptStringAsync(value)).toString('base64');
  return {
    kind: 'keyring',
    get: (key) =>
      inTurn(async () => {
        const sealed = (await read(path)).values[key];
        if (sealed === undefined) return undefined;
        try {
          return (await vault.decryptStringAsync(Buffer.from(sealed, 'base64'))).result;
        } catch {
          // Encrypted with another keyring: the user is asked again.
          return undefined;
        }
      }),
    set: async (key, value) => {
      const sealed = await seal(value);
      await change((values) => {
        values[key] = sealed;
      });
    },
    delete: (key) =>
      change((values) => {
        Reflect.deleteProperty(values, key);
      }),
  };
}

/** A damaged file has no readable secrets: the user is asked again. */
async function read(path: string): Promise<SecretFile> {
  try {
    return SecretFile.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return { version: 1, values: {} };
  }
}

async function write(path: string, file: SecretFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, JSON.stringify(file), { mode: 0o600 });
  await rename(`${path}.new`, path);
}
