/**
 * The interface that each host (Electron, web, command line) implements. Services and `app.ts` depend on the host
 * only through it.
 */
import type { Delivery } from '../../shared/contract/api.ts';

export interface Paths {
  /** The app's data folder: labs, runs, database, local nodes' homes, trust store. */
  readonly data: string;
  /** `assets/` with the example labs. */
  readonly assets: string;
  /** The trainer's sources, sent to nodes that must compile it. */
  readonly nativeSource: string;
  /** The package `ringlab` for Python (`python/ringlab` and its build files), sent to nodes that run scripts. */
  readonly pythonSource: string;
  /** A trainer built on this machine, if any. */
  readonly trainerBinary: string | undefined;
  /** The user's own home folder: `~/.ssh/known_hosts`, `~/.ssh/config`, key files. */
  readonly home: string;
}

/** Passwords and passphrases. Values never leave the process unencrypted. */
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
  /** The file that this process was started from, which an update of the program replaces. Absent: not watched. */
  readonly program?: string | undefined;
  readonly secrets: SecretStore;
  /**
   * Hands a finished local file to the user: a save dialog, a browser's download, or a copy into `--out`.
   * Rejects with `cancelled` where the user closes the dialog.
   */
  deliver(file: { path: string; name: string }): Promise<Delivery>;
  /** Opens a local folder, or an `sftp:` address, in the file manager. Throws `file_unreadable`. */
  openPlace(place: string): Promise<void>;
  /** A window of this user asks a command for the data folder, which the command leaves where it may. Absent: never. */
  handOver?(): void;
  /** A desktop notification, where the host supports them. */
  notify(message: { title: string; body: string }): void;
}
