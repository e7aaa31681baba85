/** Installs npm's packages: `npm ci` if node_modules does not match package-lock.json. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { lastLines, runCommand } from './command.mjs';
import { SetupFailure } from './failure.mjs';
import { inProject } from './project.mjs';
import { createStamp } from './stamp.mjs';

/** Kept inside node_modules, so that it is removed with them. */
const stamp = createStamp('.ringlab-stamp', [], inProject('node_modules'));

/** @param {import('./progress.mjs').Progress} progress */
export async function npmPackages(progress) {
  const lock = readFileSync(inProject('package-lock.json'), 'utf8');
  const inputHash = createHash('sha256').update(`${process.platform} ${process.arch}\n${lock}`).digest('hex');
  if (stamp.holds(inputHash)) return;
  if (agrees(lock, read(inProject('node_modules', '.package-lock.json')))) {
    stamp.write(inputHash);
    return;
  }
  if (process.platform === 'win32' && process.execPath.startsWith(inProject('node_modules'))) {
    throw new SetupFailure(
      'the npm packages are not those of package-lock.json, and Windows cannot replace the Node that runs this',
      'type `npm ci`, then start again',
    );
  }
  await progress.step('npm packages', async (step) => {
    step.say('to download: about 280 MB, 730 MB on disk');
    const { code, output } = await runNpm(
      ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=http'],
      (line) => {
        const fetched = /^npm http fetch .*\/([^/\s]+)\.tgz/.exec(line)?.[1];
        if (fetched !== undefined) step.now(fetched);
      },
    );
    if (code !== 0) {
      const messages = output
        .split('\n')
        .filter((line) => !/^npm http /.test(line))
        .join('\n');
      throw new SetupFailure(
        'npm could not install the packages',
        npmRemedy(code, messages),
        lastLines(messages, 40),
      );
    }
    stamp.write(inputHash);
  });
}

/** @param {readonly string[]} args @param {(line: string) => void} [onLine] @param {string} [cwd] @param {number} [keep] */
export function runNpm(args, onLine, cwd = inProject(), keep = undefined) {
  // npm passes its own path and its Node's to its scripts: that Node is not in the node_modules that npm replaces.
  const { npm_execpath: self, npm_node_execpath: node = process.execPath } = process.env;
  return self !== undefined && /npm-cli\.[cm]?js$/.test(self)
    ? runCommand(node, [self, ...args], { cwd, onLine, keep })
    : runCommand('npm', args, { cwd, onLine, keep, shell: process.platform === 'win32' });
}

/**
 * Whether the installed packages are those of the lock file; optional ones for other systems may be missing.
 * @param {string} lock package-lock.json
 * @param {string | undefined} installed node_modules/.package-lock.json, which npm writes last
 */
export function agrees(lock, installed) {
  if (installed === undefined) return false;
  try {
    const expected = JSON.parse(lock).packages;
    const found = JSON.parse(installed).packages;
    return Object.entries(expected).every(
      ([path, { version, integrity, optional }]) =>
        path === '' ||
        (found[path] === undefined
          ? optional === true
          : found[path].version === version &&
            (integrity === undefined ||
              found[path].integrity === undefined ||
              found[path].integrity === integrity)),
    );
  } catch {
    return false;
  }
}

/** @param {number} code @param {string} messages */
export function npmRemedy(code, messages) {
  if (code === 127) return 'install npm (it comes with Node: https://nodejs.org), then start again';
  if (/ENOSPC/.test(messages)) return 'the disk is full: make about 1 GB free, then start again';
  if (/EACCES|EPERM/.test(messages))
    return 'npm may not write here: is another program using node_modules, or does another user own it? Then start again';
  if (/ENOTFOUND|ETIMEDOUT|ECONNRE|EAI_AGAIN|ERR_SOCKET|network/i.test(messages))
    return 'npm cannot reach its registry: check the network, or `npm config get registry` and the proxy settings; then start again';
  if (/package-lock\.json.*(?:in sync|are in sync)/s.test(messages))
    return 'package.json and package-lock.json disagree: run `npm install` and start again';
  return 'start again: what was downloaded is kept; if it fails in the same place, delete node_modules first';
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
