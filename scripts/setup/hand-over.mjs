/** Starts the app's own program in the foreground, and forwards input, output, signals and exit code. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { constants } from 'node:os';
import { cliBundle, inProject } from './project.mjs';

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<number>} its exit code, or 128 + signal if a signal ended it
 */
export function handOver(program, args, { cwd, env = process.env } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], { stdio: 'inherit', cwd, env });
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    // A terminal sends Ctrl+C to both processes, a script only to this one: the child must not receive it twice.
    const pass = (signal) => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of signals) process.on(signal, pass);
    const end = (code) => {
      for (const signal of signals) process.off(signal, pass);
      resolve(code);
    };
    child.once('error', (error) => {
      process.stderr.write(`${program}: ${error.message}\n`);
      end(127);
    });
    child.once('exit', (code, signal) => end(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0)));
  });
}

/**
 * The command line of the app, on Node 24. Node's compile cache makes the next start quicker.
 * @param {string} node
 * @param {readonly string[]} args
 */
export function ringlab(node, args) {
  const compiled = inProject('.cache', 'compiled');
  mkdirSync(compiled, { recursive: true });
  // Relative paths on the command line refer to the folder where the user typed them.
  const cwd = process.env.INIT_CWD ?? process.cwd();
  return handOver(node, ['--disable-warning=ExperimentalWarning', cliBundle, ...args], {
    cwd,
    env: { NODE_COMPILE_CACHE: compiled, ...process.env },
  });
}
