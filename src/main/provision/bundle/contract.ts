/** What a bundle's folder offers to those who make bundles and to those who use them. */
import type { BundleIndex } from './index-file.ts';
import type { Keyring } from './signed-release.ts';

export interface Wanted {
  readonly url: string;
  readonly sha256: string;
  /** Bytes, where they are known; no more are taken. */
  readonly size?: number | undefined;
}

interface JoinOptions {
  readonly programs: boolean;
  readonly now?: () => number;
}
export interface Joined {
  readonly objects: number;
  readonly bytes: number;
  /** Programs that were left where they are. */
  readonly programsLeft: number;
}

export interface BundleStore {
  readonly folder: string;
  /** Whose signatures count. */
  readonly keyring: Keyring;
  /** An empty one where there is none yet. */
  read(): Promise<BundleIndex>;
  /** One change after another; the file is whole at every moment. */
  change(edit: (index: BundleIndex) => BundleIndex): Promise<void>;
  /** Where an object lies on this computer. */
  path(sha256: string): string;
  /** Downloads what is not here yet, going on where an earlier attempt stopped. Returns its SHA-256 and what was fetched. */
  fetch(wanted: Wanted, signal: AbortSignal): Promise<{ sha256: string; fetched: number }>;
  /** A file whose hash nobody knows beforehand: what it says of itself is the caller's to verify. */
  fetchSmall(url: string, max: number, signal: AbortSignal): Promise<{ bytes: Uint8Array; sha256: string }>;
  /** A file of this computer as an object. */
  keep(file: string): Promise<string>;
  /**
   * Everything of another bundle that is missing here; its programs (trainers, micromamba) only where the user wants
   * them: nothing but the bundle's own word says who made them.
   * @throws hash_mismatch for a damaged object, archive_refused for packages that no distribution has signed
   */
  join(other: BundleStore, options: JoinOptions): Promise<Joined>;
}
