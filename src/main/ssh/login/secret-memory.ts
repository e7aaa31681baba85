/**
 * Keeps passwords and passphrases after a successful login: in memory, or in the host's store where the user chose
 * so.
 */
import type { SecretStore } from '../../base/platform.ts';

export interface SecretMemory {
  get(key: string): Promise<string | undefined>;
  /**
   * Called only after the secret was accepted. Kept in memory, so that a lost connection can be restored without a
   * question.
   */
  keep(key: string, secret: string, remember: boolean): Promise<void>;
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

export const passwordKey = (hop: { user: string; host: string; port: number }): string =>
  `ssh-password:${hop.user}@${hop.host.toLowerCase()}:${hop.port}`;
export const passphraseKey = (path: string): string => `ssh-passphrase:${path}`;

export function createSecretMemory(store: SecretStore): SecretMemory {
  const memory = new Map<string, string>();
  const wrong = new Set<string>();
  const forget = async (key: string): Promise<void> => {
    memory.delete(key);
    await store.delete(key);
  };
  return {
    async get(key) {
      return memory.get(key) ?? (await store.get(key));
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
