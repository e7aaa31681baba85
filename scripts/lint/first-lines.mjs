/** Source files whose first line does not say what they are for. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from '../suites/folders.mjs';

const folders = ['src', 'scripts', 'bench', 'e2e'];
const source = /\.(?:tsx?|mjs)$/;
/** Tests say it by their names. */
const tests = /\.test\.(?:tsx?|mjs)$/;
const made = /^(?:\.\w+|node_modules|dist|test-results|playwright-report)$/;

/** The comment at a file's beginning, after the line that names its interpreter. */
const opening = /^(?:#!.*\n)?\/\*\*([^]*?)\*\//;
/** At least three words, and an end. */
const sentence = /^[\s*]*\S+ \S+ \S+[^]*[.:…]/;

/**
 * @param {string} text of a source file
 * @returns {boolean} whether it begins with a comment that holds a sentence
 */
export const saysItsPurpose = (text) => sentence.test(opening.exec(text)?.[1] ?? '');

/** @param {string} root @returns {string[]} one message a file */
export const firstLineProblems = (root) =>
  folders.flatMap((folder) =>
    filesBelow(join(root, folder), source, made)
      .filter((file) => !tests.test(file) && !saysItsPurpose(readFileSync(join(root, folder, file), 'utf8')))
      .map((file) => `${folder}/${file}: begin it with one sentence that says what it is for: /** … */`),
  );
