/**
 * Keeps passwords and passphrases after a successful login: in memory, or in the host's store where the user chose
 * so.
 */
import { jumpWords, type JumpName } from '../../../shared/lab/access.ts';
import type { SecretStore } from '../../base/platform.ts';

export interface SecretMemory {
  get(key: string): Promise<string | undefined>;
  /**
   * Called only after the secret was accepted. Kept in memory, so that a lost connection can be restored without a
   * question.
   */
  keep(key: string, secret: string, remember: boolean): Promise<void>;
  /** Takes over the stored secret of another key, unless there is one. */
  adopt(key: string, from: string): Promise<void>;
  /** It was wrong: the next attempt asks again, and mentions it. */
  refused(key: string): Promise<void>;
  /** Deletes it on the user's request. */
  forget(key: string): Promise<void>;
  /** It was accepted since the app's start, and not refused later. */
  isProven(key: string): boolean;
  /** The last one was wrong, and none has been accepted since. */
  wasRefused(key: string): boolean;
  /** Clears the memory; the store is not changed. */
  clear(): void;
}

/** Behind other jump hosts the same address may be another machine, with another password. */
export const passwordKey = (hop: JumpName): string => {
  const key = `ssh-password:${hop.user}@${hop.host.toLowerCase()}:${hop.port}`;
  return hop.jump === undefined ? key : `${key} via ${jumpWords(hop).toLowerCase()}`;
};
export const passphraseKey = (path: string): string => `ssh-passphrase:${path}`;

export function createSecretMemory(store: SecretStore): SecretMemory {
  const memory = new Map<string, string>();
  const wrong = new Set<string>();
  const forget = async (key: string): Promise<void> => {
    memory.delete(key);
    await store.delete(key);
  };
  const get = async (key: string): Promise<string | undefined> => memory.get(key) ?? (await store.get(key));
  return {
    get,
    async adopt(key, from) {
      const secret = (await get(key)) === undefined ? await store.get(from) : undefined;
      if (secret !== undefined) await store.set(key, secret);
    },
    async keep(key, secret, remember) {
      memory.set(key, secret);
      wrong.delete(key);
      if (remember) await store.set(key, secret);
    },
    forget,
    async refused(key) {
      wrong.add(key);
      await forget(key);
    },
    isProven: (key) => memory.has(key),
    wasRefused: (key) => wrong.has(key),
    clear() {
      memory.clear();
      wrong.clear();
    },
  };
}
