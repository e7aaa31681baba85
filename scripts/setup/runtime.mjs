/** Node 24, which the app runs on. The npm package `node` brings it; its installer may have been refused or cut short. */
import { existsSync } from 'node:fs';
import { lastLines, runCommand } from './command.mjs';
import { SetupFailure } from './failure.mjs';
import { inProject } from './project.mjs';

const least = 24;
const packaged = inProject('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

/** The Node that the app runs on; undefined before the set-up found one. @returns {string | undefined} */
export const nodeRuntime = () =>
  isNewEnough(process.version) ? process.execPath : existsSync(packaged) ? packaged : undefined;

/** @param {string} version as `node --version` prints it */
export const isNewEnough = (version) => Number(/^v(\d+)\./.exec(version.trim())?.[1] ?? 0) >= least;

/**
 * @param {import('./progress.mjs').Progress} progress
 * @returns {Promise<string>} the path of a Node of at least version 24
 */
export async function ensureRuntime(progress) {
  if (isNewEnough(process.version)) return process.execPath;
  if (await works(packaged)) return packaged;
  return progress.step(`Node ${least}`, async () => {
    const { code, output } = await runCommand(process.execPath, ['installArchSpecificPackage.js'], {
      cwd: inProject('node_modules', 'node'),
      timeout: 10 * 60_000,
    });
    if (await works(packaged)) return packaged;
    throw new SetupFailure(
      `the npm package that brings Node ${least} could not fetch it (exit code ${code})`,
      `check the network and start again, or install Node ${least} or newer yourself (https://nodejs.org) and use that`,
      lastLines(output, 30),
    );
  });
}

/** @param {string} path */
async function works(path) {
  if (!existsSync(path)) return false;
  const { code, output } = await runCommand(path, ['--version'], { timeout: 30_000 });
  return code === 0 && isNewEnough(output);
}
