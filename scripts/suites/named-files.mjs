/** Files that documents name and that do not exist: a file that was moved takes its name in ARCHITECTURE.md and docs/ with it. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { filesBelow } from './folders.mjs';

/** A path below this project's own folders, or the bare name of one of its tests or programs. */
const named = /`((?:[\w.-]+\/)*[\w.-]+\.(?:tsx?|mjs|py|cpp|h))`/g;
/** PyTorch's own example, on which much here is measured. */
const others = new Set(['main.py']);

/**
 * @param {string} text of a document
 * @param {readonly string[]} files of the project, from its top
 * @returns {string[]} the names that no file has: neither as a path from the top, nor as the end of one
 */
export function missingFiles(text, files) {
  const exists = (name) => files.some((file) => file === name || file.endsWith(`/${name}`));
  const names = [...text.matchAll(named)].map(([, name = '']) => name.replace(/^(?:\.\.?\/)+/, ''));
  return [...new Set(names)].filter((name) => !others.has(basename(name)) && !exists(name));
}

/** What the set-up, builds and tests make. */
const made =
  /^(?:\.\w+|node_modules|dist|release|test-results|playwright-report|coverage|ringlab-out|native\/build[^/]*)$/;

/** @param {string} root @returns {string[]} */
export function namedFileProblems(root) {
  const files = filesBelow(root, /\.(?:md|tsx?|mjs|py|cpp|h)$/, made);
  return files
    .filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md')
    .flatMap((file) =>
      missingFiles(readFileSync(join(root, file), 'utf8'), files).map(
        (name) => `${file}: there is no ${name}`,
      ),
    );
}
