/**
 * English words that are given to an error instead of a phrase: as a parameter, or as its detail. They would be English in a Chinese
 * text. Values are followed through the constants and the functions of one file, as far as their names go.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { inProject } from '../setup/project.mjs';
import { programFiles } from '../suites/sizes.mjs';

/** Parameters that are no words: what was run, and where. */
const data = new Set(['command', 'path']);
/** Its detail is for a report of a bug. */
const unlessInternal = 'internal';

/** What stands for a part of a template that is known at run time only. */
const filled = '\u0001';
const betweenLetters = /\p{L} \p{L}/u;
/** A word after a value, as in `${count} bytes`; before it may be the name of a program. */
const afterValue = new RegExp(`${filled} \\p{Ll}{2,}`, 'u');
/** @param {string} text */
const isProse = (text) => betweenLetters.test(text) || afterValue.test(text);

const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const isNode = (value) => typeof value?.type === 'string';
const childrenOf = (node) => Object.values(node).flat().filter(isNode);

/** Nodes whose value is that of one of these parts. */
const parts = {
  ConditionalExpression: ({ consequent, alternate }) => [consequent, alternate],
  LogicalExpression: ({ left, right }) => [left, right],
  BinaryExpression: ({ operator, left, right }) => (operator === '+' ? [left, right] : []),
  ArrayExpression: ({ elements }) => elements.filter(isNode),
  AwaitExpression: ({ argument }) => [argument],
  // `[…].join('\n')`, `'…'.slice(0, 9)`
  CallExpression: ({ callee }) => (callee.type === 'MemberExpression' ? [callee.object] : []),
  ChainExpression: ({ expression }) => [expression],
  ParenthesizedExpression: ({ expression }) => [expression],
  TSAsExpression: ({ expression }) => [expression],
  TSNonNullExpression: ({ expression }) => [expression],
  TSSatisfiesExpression: ({ expression }) => [expression],
  TemplateLiteral: ({ expressions }) => expressions,
};

/** The text of a literal; undefined for another node. */
function textOf(node) {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  return node.type === 'TemplateLiteral'
    ? node.quasis.map(({ value }) => value.cooked ?? value.raw).join(filled)
    : undefined;
}

const nameOf = ({ type, name, value }) => (type === 'Identifier' ? name : String(value));

/** What a file gives its names, and what it calls. */
function readFile(program) {
  /** @type {Map<string, object[]>} the values of each constant or variable */
  const values = new Map();
  /** @type {{ called: string, args: object[] }[]} */
  const calls = [];
  /** @type {{ node: object, around: { name: string | undefined, params: string[] }[] }[]} */
  const errors = [];
  const give = (name, value) => values.set(name, [...(values.get(name) ?? []), value]);
  const walk = (node, around, named) => {
    let inside = around;
    if (functions.has(node.type)) {
      const params = node.params.map((param) => (param.type === 'AssignmentPattern' ? param.left : param));
      inside = [...around, { name: node.id?.name ?? named, params: params.map(({ name }) => name) }];
    }
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init !== null)
      give(node.id.name, node.init);
    if (node.type === 'AssignmentExpression' && node.left.type === 'Identifier')
      give(node.left.name, node.right);
    if (node.type === 'CallExpression' && node.callee.type === 'Identifier')
      calls.push({ called: node.callee.name, args: node.arguments });
    if (node.type === 'NewExpression' && node.callee.name === 'RinglabError')
      errors.push({ node, around: inside });
    const own = node.type === 'VariableDeclarator' ? node.id.name : undefined;
    for (const child of childrenOf(node)) walk(child, inside, own);
  };
  walk(program, [], undefined);
  return { values, calls, errors };
}

/**
 * @param {string} path
 * @param {string} text
 * @returns {string[]} one message each
 */
export function wordProblems(path, text) {
  const { values, calls, errors } = readFile(parseSync(path, text).program);
  const found = new Map();
  const seen = new Set();

  /** Members of an object, also of one that is chosen or spread. */
  const membersOf = (node) => {
    if (node.type === 'ObjectExpression')
      return node.properties.flatMap((one) =>
        one.type === 'SpreadElement' ? membersOf(one.argument) : [[nameOf(one.key), one.value]],
      );
    if (node.type === 'Identifier') return (values.get(node.name) ?? []).flatMap(membersOf);
    return (parts[node.type]?.(node) ?? []).flatMap(membersOf);
  };
  const judge = (node, around) => {
    if (seen.has(node)) return;
    seen.add(node);
    const said = textOf(node);
    if (said !== undefined && isProse(said)) found.set(node.start, text.slice(node.start, node.end));
    if (node.type === 'Identifier') {
      for (const value of values.get(node.name) ?? []) judge(value, around);
      for (const { name, params } of around) {
        const at = params.indexOf(node.name);
        if (name === undefined || at < 0) continue;
        for (const { called, args } of calls) if (called === name && isNode(args[at])) judge(args[at], []);
      }
    }
    for (const part of parts[node.type]?.(node) ?? []) judge(part, around);
  };
  for (const { node, around } of errors) {
    const [code, params, options] = node.arguments;
    for (const [name, value] of params === undefined ? [] : membersOf(params))
      if (!data.has(name)) judge(value, around);
    if (options === undefined || code.value === unlessInternal) continue;
    for (const [name, value] of membersOf(options)) if (name === 'detail') judge(value, around);
  }
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([start, said]) => {
      const line = text.slice(0, start).split('\n').length;
      return `${path}:${String(line)}: ${said} is shown to users in every language: make it a phrase of src/main/i18n, or of src/shared/i18n in src/shared.`;
    });
}

/** @returns {string[]} the problems of `src` */
export const allWordProblems = () =>
  programFiles(inProject()).flatMap((path) =>
    wordProblems(path, readFileSync(join(inProject(), path), 'utf8')),
  );
