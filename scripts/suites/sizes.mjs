/** Limits the length of source files. Lines of TypeScript's tables and dictionaries do not count, and tests have no limit. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { filesBelow, forTests } from './folders.mjs';

/** The maximum number of lines of a file, without tables. */
export const maxLines = 300;

/** The minimum number of lines of a top-level object or list that counts as a table. */
const shortestTable = 20;

/** Nodes around a value that add no lines of their own. */
const wrappers = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'ParenthesizedExpression']);

const unwrapped = (node) => {
  let inner = node;
  for (;;) {
    if (wrappers.has(inner.type)) inner = inner.expression;
    // `z.object({...})`, `request({...})` and similar calls.
    else if (inner.type === 'CallExpression' && inner.arguments.length === 1) inner = inner.arguments[0];
    else return inner;
  }
};

const functions = new Set(['FunctionExpression', 'FunctionDeclaration', 'ArrowFunctionExpression']);
const isNode = (value) => typeof value?.type === 'string';

/**
 * Lines that count: all, in TypeScript except those of top-level objects and lists of at least 20 lines. Functions with statements
 * inside them count too: an object of methods is not a table.
 * @param {string} path
 * @param {string} text
 */
export function countedLines(path, text) {
  const linesOf = (node) => text.slice(node.start, node.end).split('\n').length;
  const ofFunctions = (node) => {
    if (functions.has(node.type) && node.body?.type === 'BlockStatement') return linesOf(node);
    let sum = 0;
    for (const child of Object.values(node).flat()) if (isNode(child)) sum += ofFunctions(child);
    return sum;
  };
  let counted = text.trimEnd().split('\n').length;
  if (!/\.(?:tsx?|mjs)$/.test(path)) return counted;
  for (const statement of parseSync(path, text).program.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration') continue;
    for (const { init } of declaration.declarations) {
      if (init === null) continue;
      const value = unwrapped(init);
      if (value.type !== 'ObjectExpression' && value.type !== 'ArrayExpression') continue;
      const inner = linesOf(value) - 2;
      if (inner >= shortestTable) counted -= inner - ofFunctions(value);
    }
  }
  return counted;
}

/**
 * @param {ReadonlyMap<string, string>} files text by path
 * @returns {string[]} one message each
 */
export const longFiles = (files) =>
  [...files]
    .map(([path, text]) => [path, countedLines(path, text)])
    .filter(([, lines]) => lines > maxLines)
    .map(
      ([path, lines]) =>
        `${path} has ${String(lines)} lines beside its tables, and the maximum is ${String(maxLines)}: divide it by subject`,
    );

/** Source files of src/ without tests. @param {string} project its folder */
export const programFiles = (project) => sourceFiles(project, 'src', /\.tsx?$/);

/** Folders beside src/, and the names of their source files. */
const otherFolders = {
  bench: /\.ts$/,
  e2e: /\.ts$/,
  native: /\.(?:cpp|h|py)$/,
  python: /\.py$/,
  scripts: /\.(?:mjs|py)$/,
};

/** Paths below the project of what is built, and of tests of native/ and python/. */
const otherLeft = /^(?:native\/(?:build[^/]*|tests)|python\/tests)(?:\/|$)/;

/** Tests of scripts/ and e2e/. */
const otherTests = /\.(?:test\.mjs|spec\.ts)$/;

/** @param {string} project its folder @param {string} folder @param {RegExp} name @returns {string[]} */
function sourceFiles(project, folder, name) {
  return filesBelow(join(project, folder), name)
    .map((path) => `${folder}/${path}`)
    .filter((path) => !forTests.test(path) && !otherTests.test(path) && !otherLeft.test(path));
}

/** Source files of all folders without tests. @param {string} project its folder */
export const allFiles = (project) => [
  ...programFiles(project),
  ...Object.entries(otherFolders).flatMap(([folder, name]) => sourceFiles(project, folder, name)),
];

/** @param {string} project its folder @returns {string[]} the problems */
export const longFilesOf = (project) =>
  longFiles(new Map(allFiles(project).map((path) => [path, readFileSync(join(project, path), 'utf8')])));
