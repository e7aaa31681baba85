/** Keeps passwords in memory for the lifetime of the process, for hosts without a keyring. */
import type { SecretStore } from '../../base/platform.ts';

export function memorySecrets(): SecretStore {
  const values = new Map<string, string>();
  return {
    kind: 'memory',
    get: (key) => Promise.resolve(values.get(key)),
    set: (key, value) => {
      values.set(key, value);
      return Promise.resolve();
    },
    delete: (key) => {
      values.delete(key);
      return Promise.resolve();
    },
  };
}
