/** What a host must provide. Services and `app.ts` know the host through this alone. */
import type { Delivery } from '../../shared/contract/api.ts';

export interface Paths {
  /** The app's data folder: labs, runs, database, local nodes' homes, trust store. */
  readonly data: string;
  /** `assets/` with the example labs. */
  readonly assets: string;
  /** The trainer's sources, sent to nodes that must build it. */
  readonly nativeSource: string;
  /** A trainer built on this machine, where there is one. */
  readonly trainerBinary: string | undefined;
  /** The user's own home folder: `~/.ssh/known_hosts`, `~/.ssh/config`, key files. */
  readonly home: string;
}

/** Passwords and passphrases. Values never leave the process in clear. */
export interface SecretStore {
  readonly kind: 'keyring' | 'memory';
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}

export interface Platform {
  readonly kind: 'electron' | 'web' | 'cli';
  readonly version: string;
  readonly paths: Paths;
  readonly secrets: SecretStore;
  /**
   * Hands a finished local file to the user: a save dialog, a browser's download, or a copy into `--out`.
   * Rejects with `cancelled` where the user closes the dialog.
   */
  deliver(file: { path: string; name: string }): Promise<Delivery>;
  /** Shows a folder of this computer, or an `sftp:` address, in the file manager. Throws `file_unreadable`. */
  openPlace(place: string): Promise<void>;
  /** A desktop notification, where the host has them. */
  notify(message: { title: string; body: string }): void;
}
