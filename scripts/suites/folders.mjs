/** The native folders' order and size: which folder may include which, and how many files one may hold. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Source files of one folder, its subfolders and tests not counted. */
export const maxFiles = 30;

/** Where the order of the native folders is written down. */
export const orderFile = 'native/README.md';

/** Folders of native/ whose files may include all others, and that none includes. */
const outside = /^(?:build[^/]*|tests|bench|cmake)(?:\/|$)/;
/** Made by the build. */
const generated = new Set(['source_hash.h']);
/** Names of other libraries' headers, under the paths of theirs. */
const standIns = /^compat\/(?:gloo|torch)_headers\//;

/**
 * The folders of the table in native/README.md, the ground floor first.
 * @param {string} text
 */
export function orderOf(text) {
  const folders = [...text.matchAll(/^\| `([a-z_/]+)\/` +\|/gm)].map(([, folder]) => folder);
  if (folders.length === 0)
    throw new Error(`${orderFile} has no table of folders: rows that begin with | \`folder/\` |`);
  return folders;
}

const folderOf = (path) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');

/**
 * What is wrong with the includes of native/.
 * @param {ReadonlyMap<string, string>} files text by path from native/ on: every .cpp and .h but those of tests
 * @param {readonly string[]} order folders the ground floor first
 * @returns {string[]} one message each, which says where the thing belongs
 */
export function wrongIncludes(files, order) {
  const problems = [];
  const rank = new Map(order.map((folder, index) => [folder, index]));
  const found = new Set([...files.keys()].map(folderOf));
  for (const folder of found) {
    if (!rank.has(folder)) {
      problems.push(
        `native/${folder}/ is not in the order of folders: add a row to the table in ${orderFile}, below all folders that it includes`,
      );
    }
  }
  for (const folder of order) {
    if (!found.has(folder))
      problems.push(`${orderFile} names native/${folder}/, which holds no source file: remove its row`);
  }
  /** @type {Map<string, string[]>} */
  const includes = new Map();
  for (const [path, text] of files) {
    const targets = [];
    includes.set(path, targets);
    const here = rank.get(folderOf(path));
    for (const [, opening, target] of text.matchAll(/^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]/gm)) {
      if (!files.has(target)) {
        if (opening === '"' && !generated.has(target)) {
          problems.push(
            `native/${path} includes "${target}", which is no file of native/: write its path from native/ on, and other libraries' headers in <>`,
          );
        }
        continue;
      }
      if (opening === '<')
        problems.push(`native/${path} includes <${target}>: write our own headers in quotes`);
      targets.push(target);
      const there = rank.get(folderOf(target));
      if (here !== undefined && there !== undefined && there > here) {
        problems.push(
          `native/${path} includes "${target}", and ${folderOf(target)}/ stands on ${folderOf(path)}/: move what both need into ${folderOf(path)}/ or a folder below it, or this file into ${folderOf(target)}/`,
        );
      }
    }
  }
  return [
    ...problems,
    ...cyclesOf(includes).map(
      (cycle) =>
        `these include each other: ${cycle.map((path) => `native/${path}`).join(' → ')}; move what both need into a header of its own`,
    ),
  ];
}

/**
 * One path for each cycle that a walk over all files meets; its first file stands at its end again.
 * @param {ReadonlyMap<string, readonly string[]>} includes
 */
function cyclesOf(includes) {
  const cycles = [];
  const done = new Set();
  const path = [];
  const visit = (file) => {
    const start = path.indexOf(file);
    if (start >= 0) cycles.push([...path.slice(start), file]);
    if (start >= 0 || done.has(file)) return;
    path.push(file);
    for (const next of includes.get(file) ?? []) visit(next);
    path.pop();
    done.add(file);
  };
  for (const file of includes.keys()) visit(file);
  return cycles;
}

/**
 * Folders with too many files.
 * @param {Iterable<string>} paths of source files without tests
 * @returns {string[]}
 */
export function crowdedFolders(paths) {
  const counts = new Map();
  for (const path of paths) counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > maxFiles)
    .map(
      ([folder, count]) =>
        `${folder}/ holds ${String(count)} source files, and the maximum is ${String(maxFiles)}: divide it into folders by subject`,
    );
}

/**
 * Paths from `root` on of the files whose name matches.
 * @param {string} root
 * @param {RegExp} name
 * @param {RegExp} [left] folders that are left out, by their paths from `root` on
 */
export function filesBelow(root, name, left = /^$/) {
  const paths = [];
  const visit = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !left.test(path)) visit(path);
      else if (entry.isFile() && name.test(entry.name)) paths.push(path);
    }
  };
  visit('');
  return paths.sort();
}

/**
 * @param {string} project its folder
 * @returns {string[]} what is wrong
 */
export function folderProblems(project) {
  const native = join(project, 'native');
  const paths = filesBelow(native, /\.(?:cpp|h)$/, outside).filter((path) => !standIns.test(path));
  const files = new Map(paths.map((path) => [path, readFileSync(join(native, path), 'utf8')]));
  return [
    ...wrongIncludes(files, orderOf(readFileSync(join(project, orderFile), 'utf8'))),
    ...crowdedFolders(paths.map((path) => `native/${path}`)),
  ];
}
