/**
 * Notices that the program's files were replaced while it runs, by a package's update or a build: what is started or read
 * from then on is of another version.
 */
import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

const everyMs = 10_000;

export interface Replaced {
  /** Whether it has happened. */
  now(): boolean;
  close(): void;
}

/**
 * @param program undefined: never
 * @param onReplaced called once
 */
export function watchProgram(
  program: string | undefined,
  onReplaced: () => void,
  intervalMs = everyMs,
): Replaced {
  const first = program === undefined ? undefined : statSync(program, { throwIfNoEntry: false });
  if (program === undefined || first === undefined) return { now: () => false, close: () => undefined };
  let replaced = false;
  const look = async (): Promise<void> => {
    // It is missing for a moment during an update.
    const now = await stat(program).catch(() => undefined);
    // A second installation of the same version makes another file with the same time.
    const same = now === undefined || (now.mtimeMs === first.mtimeMs && now.size === first.size);
    if (same || replaced) return;
    replaced = true;
    clearInterval(timer);
    onReplaced();
  };
  const timer = setInterval(() => void look(), intervalMs).unref();
  return { now: () => replaced, close: () => clearInterval(timer) };
}
