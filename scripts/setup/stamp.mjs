/** Decides whether something must be built again: a stamp holds the hash of all inputs, and is written last. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { cacheFolder, root } from './project.mjs';

/**
 * The hash of files' paths and contents, and of further texts.
 * @param {readonly string[]} paths files and folders below the project folder; a missing one counts as empty
 * @param {{ words?: readonly string[], skip?: (path: string) => boolean, base?: string }} [options]
 *   `skip` gets paths with forward slashes, relative to the project folder
 */
export function hashOf(paths, { words = [], skip = () => false, base = root } = {}) {
  const hash = createHash('sha256');
  for (const word of words) hash.update(`${word}\0`);
  for (const file of paths.flatMap((path) => filesIn(join(base, path)))) {
    const name = relative(base, file).split(sep).join('/');
    if (skip(name)) continue;
    hash.update(`${name}\0`).update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** @param {string} path @returns {string[]} files in it, sorted, or itself */
function filesIn(path) {
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return [path];
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  return entries
    .filter((entry) => !/^build/.test(entry.name) && entry.name !== 'node_modules')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesIn(join(path, entry.name)) : entry.isFile() ? [join(path, entry.name)] : [],
    );
}

/**
 * @param {string} name of the stamp
 * @param {readonly string[]} results paths that must exist for the stamp to be valid
 * @param {string} folder where stamps are kept
 */
export function createStamp(name, results, folder = join(cacheFolder, 'stamps')) {
  const path = join(folder, name);
  return {
    /** @param {string} hash */
    holds(hash) {
      try {
        return readFileSync(path, 'utf8') === hash && results.every((result) => existsSync(result));
      } catch {
        return false;
      }
    },
    /** Renamed into place, so that an interruption leaves the old stamp or the new. @param {string} hash */
    write(hash) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.new`, hash);
      renameSync(`${path}.new`, path);
    },
  };
}
