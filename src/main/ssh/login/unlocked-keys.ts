/**
 * Keeps decrypted keys in memory, beside their passphrases: decrypting takes a second of computing in which the app does nothing
 * else, for each login.
 */
import type { ParsedKey } from 'ssh2';

export interface UnlockedKeys {
  /** @param digest of the file as it is now: a key that was exchanged is not used */
  get(path: string, digest: string): ParsedKey | undefined;
  keep(path: string, digest: string, key: ParsedKey): void;
  /** Deletes it on the user's request. */
  forget(path: string): void;
  /** Deletes all; from now on none is kept, also by a login that has not ended yet. */
  close(): void;
}

export function createUnlockedKeys(): UnlockedKeys {
  const keys = new Map<string, { readonly digest: string; readonly key: ParsedKey }>();
  let isClosed = false;
  return {
    get(path, digest) {
      const known = keys.get(path);
      return known?.digest === digest ? known.key : undefined;
    },
    keep(path, digest, key) {
      if (!isClosed) keys.set(path, { digest, key });
    },
    forget: (path) => void keys.delete(path),
    close() {
      isClosed = true;
      keys.clear();
    },
  };
}
