/** The whole set-up, in its order. Each step looks first and does nothing where nothing is to do. */
import { runningCommands } from './command.mjs';
import { debianPackages, hasApt } from './debian.mjs';
import { describeFailure, SetupFailure } from './failure.mjs';
import { buildInterface } from './interface.mjs';
import { takeLock } from './lock.mjs';
import { buildNative } from './native.mjs';
import { npmPackages } from './packages.mjs';
import { createProgress, formatSeconds } from './progress.mjs';
import { ensureRuntime } from './runtime.mjs';

/**
 * @typedef {object} SetupOptions
 * @property {boolean} [quiet] show only what takes long
 * @property {boolean} [lenient] what the machine cannot have is told and left out: the window opens without a trainer
 *
 * @param {SetupOptions} [options]
 * @returns {Promise<{ node: string, complete: boolean }>} the path of Node 24, and whether nothing was left out
 */
export async function setUp({ quiet = false, lenient = false } = {}) {
  const start = performance.now();
  const progress = createProgress({ quiet });
  let complete = true;
  const orLeaveOut = async (work) => {
    try {
      await work();
    } catch (error) {
      if (!lenient || !(error instanceof SetupFailure)) throw error;
      complete = false;
      progress.say(`${describeFailure(error)}\nGoing on without it.\n`);
    }
  };
  const release = await takeLock(progress.say);
  const stopWatching = endOnSignals(release);
  try {
    await npmPackages(progress);
    const node = await ensureRuntime();
    await buildInterface(progress, node);
    if (hasApt()) await orLeaveOut(() => debianPackages(progress));
    await orLeaveOut(() => buildNative(progress));
    if (!quiet) {
      const took = formatSeconds((performance.now() - start) / 1000);
      progress.say(complete ? `Set-up done in ${took}.` : `Set-up done in part in ${took}: see above.`);
    }
    return { node, complete };
  } finally {
    stopWatching();
    release();
  }
}

/** While the set-up works, an interruption also ends the programs that it started. */
function endOnSignals(release) {
  const end = () => {
    for (const child of runningCommands()) child.kill('SIGTERM');
    release();
    process.stderr.write('\nInterrupted. Start again whenever you like: it goes on where it was.\n');
    process.exit(130);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.once(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}

/** Runs a program of scripts/; a failure is told in words. @param {() => Promise<number | void>} work → exit code */
export async function main(work) {
  try {
    const code = await work();
    process.exitCode = typeof code === 'number' ? code : 0;
  } catch (error) {
    process.stderr.write(`\n${describeFailure(error)}\n`);
    process.exitCode = 1;
  }
}
