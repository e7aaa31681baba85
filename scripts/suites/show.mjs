/** Runs a program, shows its output live, and returns its exit code. */
import { spawn } from 'node:child_process';
import { inProject } from '../setup/project.mjs';

/**
 * @typedef {{ write(text: string): void }} Output
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env] added to this process's own
 * @param {Output} [output] receives the output; the terminal by default
 * @returns {Promise<number>}
 */
export function show(program, args, env = {}, output = undefined) {
  return new Promise((resolve) => {
    const outputMode = output === undefined ? 'inherit' : 'pipe';
    const child = spawn(program, [...args], {
      cwd: inProject(),
      stdio: ['ignore', outputMode, outputMode],
      env: { ...process.env, ...env },
    });
    const target = output ?? process.stderr;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => target.write(text));
    }
    const end = (code) => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve(code);
    };
    child.once('error', (error) => {
      target.write(`${program}: ${error.message}\n`);
      end(127);
    });
    child.once('close', (code) => end(code ?? 1));
    // A background process that the program leaves may keep its pipes open: do not wait for it.
    child.once('exit', (code) => setTimeout(() => end(code ?? 1), 2000).unref());
  });
}
