/** Runs programs, keeps the end of their output, and ends them when this process is terminated. */
import { spawn } from 'node:child_process';

/** The default number of characters of output that are kept. */
const maxOutput = 256 * 1024;
const running = new Set();

/** @returns {readonly import('node:child_process').ChildProcess[]} the programs that are still running */
export const runningCommands = () => [...running];

/**
 * @typedef {object} CommandOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env] replaces this process's own
 * @property {number} [timeout] milliseconds until it is killed
 * @property {boolean} [shell] npm on Windows is a batch file and needs one
 * @property {(line: string) => void} [onLine] called with each line of output
 * @property {number} [keep] characters of output
 *
 * @typedef {object} CommandResult
 * @property {number} code 127 if the program does not exist, 124 after a time-out
 * @property {string} output the last of stdout and stderr together, 256 KiB or `keep` characters
 */

/**
 * Never rejects: a failure is reported by the exit code.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {CommandOptions} [options]
 * @returns {Promise<CommandResult>}
 */
export function runCommand(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], {
      cwd: options.cwd,
      env: options.env ?? process.env,
      shell: options.shell ?? false,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    running.add(child);
    let output = '';
    let timedOut = false;
    const timer =
      options.timeout === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true;
            child.kill('SIGKILL');
          }, options.timeout);
    for (const stream of [child.stdout, child.stderr]) {
      let rest = '';
      stream.setEncoding('utf8');
      stream.on('data', (text) => {
        output = (output + text).slice(-(options.keep ?? maxOutput));
        const lines = (rest + text).split(/\r\n|\n|\r/);
        rest = (lines.pop() ?? '').slice(-maxOutput);
        for (const line of lines) options.onLine?.(line);
      });
      stream.on('end', () => {
        if (rest !== '') options.onLine?.(rest);
      });
    }
    const end = (code) => {
      clearTimeout(timer);
      running.delete(child);
      resolve({ code: timedOut ? 124 : code, output });
    };
    child.once('error', (error) => {
      output += `${error.message}\n`;
      end(127);
    });
    child.once('close', (code, signal) => end(code ?? (signal === null ? 1 : 128 + signalNumber(signal))));
  });
}

/** @param {NodeJS.Signals} signal */
const signalNumber = (signal) => ({ SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 })[signal] ?? 0;

/**
 * The environment for a program whose messages are read: they are in English. The character set stays the user's, for paths.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {NodeJS.ProcessEnv}
 */
export function inEnglish({ LC_ALL: all = '', LANGUAGE: _, ...env } = process.env) {
  return { ...env, ...(all === '' ? {} : { LC_CTYPE: all }), LC_MESSAGES: 'C' };
}

/** The last lines of a program's output. @param {string} output @param {number} count */
export const lastLines = (output, count) => output.trimEnd().split('\n').slice(-count).join('\n');
