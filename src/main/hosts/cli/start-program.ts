/** Starts a program of the desktop that outlives this process, and notices where it ends at once with an error. */
import { spawn } from 'node:child_process';
import { phrase } from '../../i18n/index.ts';
import { WordedError } from '../../base/reason.ts';

/** A browser without a display or a sandbox ends within this time. */
const defaultPatienceMs = 2000;

/**
 * Resolves once it has run for so long, or has ended without an error: browsers hand over to one that runs already.
 * Rejects where it cannot be started, or ends with an error before.
 */
export function startProgram(
  program: string,
  words: readonly string[],
  patienceMs = defaultPatienceMs,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: 'ignore', detached: true });
    child.unref();
    child.once('error', reject);
    // Windows' explorer ends with an error whatever it did.
    if (process.platform === 'win32') {
      child.once('spawn', resolve);
      return;
    }
    const timer = setTimeout(resolve, patienceMs);
    child.once('error', () => clearTimeout(timer));
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      const how = signal ?? String(code);
      if (code === 0) resolve();
      else reject(new WordedError(phrase('reasons.endedAtOnce', { program, how })));
    });
  });
}
