/** Runs a program, shows what it says as it comes, and gives its exit code. */
import { spawn } from 'node:child_process';
import { inProject } from '../setup/project.mjs';

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env] beside this process's own
 * @returns {Promise<number>}
 */
export function show(program, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], {
      cwd: inProject(),
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
    });
    child.once('error', (error) => {
      process.stderr.write(`${program}: ${error.message}\n`);
      resolve(127);
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
