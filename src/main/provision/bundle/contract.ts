/** The interface of a bundle's folder for code that creates bundles and code that uses them. */
import type { BundleIndex } from './index-file.ts';
import type { Keyring } from './signed-release.ts';

export interface Wanted {
  readonly url: string;
  readonly sha256: string;
  /** Size in bytes, where known; more is not accepted. */
  readonly size?: number | undefined;
}

interface JoinOptions {
  readonly programs: boolean;
  readonly now?: () => number;
}
export interface Joined {
  readonly objects: number;
  readonly bytes: number;
  /** Number of programs that were not imported. */
  readonly programsLeft: number;
}

export interface BundleStore {
  readonly folder: string;
  /** The keys whose signatures are accepted. */
  readonly keyring: Keyring;
  /** An empty index where there is none yet. */
  read(): Promise<BundleIndex>;
  /** Throws file_unreadable where there is none. */
  readExisting(): Promise<BundleIndex>;
  /** Changes are serialised; the file is replaced atomically. */
  change(edit: (index: BundleIndex) => BundleIndex | Promise<BundleIndex>): Promise<void>;
  /** Path of an object on this computer. */
  path(sha256: string): string;
  /** Downloads a missing object, resuming an earlier attempt. Returns its SHA-256 and the downloaded bytes. */
  fetch(wanted: Wanted, signal: AbortSignal): Promise<{ sha256: string; fetched: number }>;
  /** Downloads a file without a known hash: the caller must verify its content. */
  fetchSmall(url: string, max: number, signal: AbortSignal): Promise<{ bytes: Uint8Array; sha256: string }>;
  /** The text of an address, which is not kept. Throws download_failed, download_too_large. */
  text(url: string, max: number, signal: AbortSignal): Promise<string>;
  /** Stores a local file as an object. */
  keep(file: string): Promise<string>;
  /**
   * Imports everything of another bundle that is missing here, of a package the version that was signed later; its programs (trainers, micromamba, environments of
   * wheels) only where the user wants them, because nothing proves who made them. uv and its Pythons are used only with
   * the hashes that Ringlab knows.
   * @throws file_unreadable where it holds no bundle, hash_mismatch for a damaged object, archive_refused for packages that no distribution has signed
   */
  join(other: BundleStore, options: JoinOptions): Promise<Joined>;
}
