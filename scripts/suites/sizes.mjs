/** Limits the length of source files. Lines of tables and dictionaries do not count. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { filesBelow } from './folders.mjs';

/** The maximum number of lines of a file, without tables. */
export const maxLines = 300;

/** The minimum number of lines of a top-level object or list that counts as a table. */
const shortestTable = 20;

const unwrapped = (node) => {
  let inner = node;
  while (
    ts.isAsExpression(inner) ||
    ts.isSatisfiesExpression(inner) ||
    ts.isParenthesizedExpression(inner) ||
    // `z.object({...})`, `request({...})` and similar calls.
    (ts.isCallExpression(inner) && inner.arguments.length === 1)
  )
    inner = ts.isCallExpression(inner) ? inner.arguments[0] : inner.expression;
  return inner;
};

/**
 * Lines that count: all except those of top-level objects and lists of at least 20 lines. Functions with statements inside
 * them count too: an object of methods is not a table.
 * @param {string} path
 * @param {string} text
 */
export function countedLines(path, text) {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false, kind);
  const lineOf = (position) => file.getLineAndCharacterOfPosition(position).line;
  const linesOf = (node) => lineOf(node.end) - lineOf(node.getStart(file)) + 1;
  const ofFunctions = (node) => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined && ts.isBlock(node.body))
      return linesOf(node);
    let sum = 0;
    ts.forEachChild(node, (child) => {
      sum += ofFunctions(child);
    });
    return sum;
  };
  let counted = text.trimEnd().split('\n').length;
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { initializer } of statement.declarationList.declarations) {
      if (initializer === undefined) continue;
      const value = unwrapped(initializer);
      if (!ts.isObjectLiteralExpression(value) && !ts.isArrayLiteralExpression(value)) continue;
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

/** Tests, and files that only tests use. */
const forTests = /\.(?:test|fixture)\.tsx?$|(?:^|\/)(?:testing|attacks)\//;

/** Source files of src/ without tests. @param {string} project its folder */
export const programFiles = (project) =>
  filesBelow(join(project, 'src'), /\.tsx?$/)
    .filter((path) => !forTests.test(path))
    .map((path) => `src/${path}`);

/** @param {string} project its folder @returns {string[]} the problems */
export const longFilesOf = (project) =>
  longFiles(new Map(programFiles(project).map((path) => [path, readFileSync(join(project, path), 'utf8')])));
