/** Runs the whole set-up: the window and the program beside the trainer. A step whose result is up to date does nothing. */
import { runningCommands } from './command.mjs';
import { debianPackages, hasApt } from './debian.mjs';
import { describeFailure, isExplained } from './failure.mjs';
import { buildInterface } from './interface.mjs';
import { takeLock } from './lock.mjs';
import { buildNative, hasTrainer } from './native.mjs';
import { npmPackages } from './packages.mjs';
import { createProgress, formatSeconds } from './progress.mjs';
import { ensureRuntime } from './runtime.mjs';
import { limitsOf, thisSystem, workOf } from './system.mjs';

/**
 * @typedef {object} SetupOptions
 * @property {boolean} [quiet] show only slow steps
 * @property {boolean} [lenient] report what the machine cannot have and continue: the window opens without a trainer
 * @property {'app' | 'tests'} [purpose] `app`: only what the window and the command line need on this system
 *
 * @param {SetupOptions} [options]
 * @returns {Promise<{ node: string, complete: boolean }>} the path of Node 24, and whether nothing was left out
 */
export async function setUp({ quiet = false, lenient = false, purpose = 'tests' } = {}) {
  const start = performance.now();
  const progress = createProgress({ quiet });
  const system = thisSystem();
  const work = workOf(system, { purpose, apt: hasApt(), hasTrainer: hasTrainer() });
  const limits = limitsOf(system, hasTrainer());
  if (!quiet && purpose === 'app' && limits !== undefined) progress.say(limits);
  let complete = true;
  const orLeaveOut = async (step) => {
    try {
      await step();
    } catch (error) {
      if (!lenient || !isExplained(error)) throw error;
      complete = false;
      progress.say(`${describeFailure(error)}\nGoing on without it.\n`);
    }
  };
  const release = await takeLock(progress.say);
  const stopWatching = endOnSignals(release);
  try {
    const [node] = await sideBySide(
      [
        async () => {
          await npmPackages(progress);
          const runtime = await ensureRuntime();
          await buildInterface(progress, runtime);
          return runtime;
        },
        async () => {
          if (work.packages !== 'none') await orLeaveOut(() => debianPackages(progress, work.packages));
          if (work.trainer) await orLeaveOut(() => buildNative(progress));
        },
      ],
      endCommands,
    );
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

/**
 * Runs independent works side by side: one downloads while another compiles. If one fails, the others are ended, so that
 * nothing continues in the background after the error message.
 * @param {readonly (() => Promise<unknown>)[]} works
 * @param {() => void} endOthers
 * @returns {Promise<unknown[]>} their results
 */
export async function sideBySide(works, endOthers) {
  const failures = [];
  const results = await Promise.all(
    works.map((work) =>
      work().catch((error) => {
        failures.push(error);
        if (failures.length === 1) endOthers();
      }),
    ),
  );
  if (failures.length > 0) throw failures[0];
  return results;
}

/** Ends the programs that the set-up started, but not those that are changing Debian's package database. */
function endCommands() {
  for (const child of runningCommands()) {
    if (!child.spawnargs.some((word) => /^(?:apt-get|dpkg)$/.test(word))) child.kill('SIGTERM');
  }
}

/** During the set-up, an interruption also ends the programs that it started. */
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

/** Runs a program of scripts/; a failure is reported as text. @param {() => Promise<number | void>} work → exit code */
export async function main(work) {
  try {
    const code = await work();
    process.exitCode = typeof code === 'number' ? code : 0;
  } catch (error) {
    process.stderr.write(`\n${describeFailure(error)}\n`);
    process.exitCode = 1;
  }
}
