/** The code of own scripts on this computer: what is sent to nodes, and kept for each run. */
import type { Line } from '../../shared/base/phrase.ts';
import type { Script } from '../../shared/lab/script.ts';
import type { CodeDiff } from '../../shared/run/code-files.ts';
import type { RunCode } from '../../shared/run/run-code.ts';
import type { FolderManifest } from '../transfer/index.ts';

/** A source's content at one moment, kept on this computer. */
export interface KeptCode {
  /** Its root is the kept copy, which nobody edits: what is sent is exactly this. */
  readonly manifest: FolderManifest;
  readonly code: RunCode;
  /** Against `code.commit`, as `git diff` prints it; undefined without changes, or outside a work tree. */
  readonly diff?: string | undefined;
}

export interface TakeOptions {
  readonly signal?: AbortSignal | undefined;
  readonly log?: (line: Line) => void;
  readonly onProgress?: (progress: { done: number; total: number }) => void;
}

export interface CodeShelf {
  /**
   * Reads the source as it is now and keeps it.
   * @throws file_unreadable, code_too_large, code_link_outside, git_missing, git_needs_login, git_failed,
   * script_missing where the script's own files are not in it
   */
  take(script: Script, options?: TakeOptions): Promise<KeptCode>;
  /** What an earlier run used. Throws code_gone where it is no longer complete. */
  kept(code: RunCode): Promise<KeptCode>;
  /** A text file of it. Throws code_gone, file_unreadable. */
  text(code: RunCode, path: string): Promise<string>;
  /** What leads from one version to the other. Throws code_gone. */
  compare(before: RunCode, after: RunCode): Promise<CodeDiff>;
  /**
   * Removes what is in no run's name, by age and total size.
   * @param named the hashes that runs name
   * @returns how many versions were removed
   */
  prune(named: ReadonlySet<string>): Promise<number>;
  /** Copies the code of a run into an empty or new folder. Throws code_gone, file_exists. */
  takeOut(code: RunCode, to: string): Promise<void>;
}
