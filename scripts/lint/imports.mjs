/** The import graph of `src`, types included, and its cycles. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/**
 * What a file imports and re-exports, statically, dynamically and as a type.
 * @param {string} path
 * @param {string} text
 * @returns {string[]} as written
 */
function importsOf(path, text) {
  const found = [];
  const visit = ({ source }) => {
    if (typeof source?.value === 'string') found.push(source.value);
  };
  new Visitor({
    ImportDeclaration: visit,
    ExportNamedDeclaration: visit,
    ExportAllDeclaration: visit,
    ImportExpression: visit,
    TSImportType: visit,
  }).visit(parseSync(path, text).program);
  return found;
}

/**
 * @param {string} folder
 * @returns {Map<string, string[]>} absolute path of each file to the files that it imports; packages are left out
 */
export function importsWithin(folder) {
  const files = readdirSync(folder, { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const targets = importsOf(file, readFileSync(file, 'utf8'))
        .filter((name) => name.startsWith('.'))
        .map((name) => join(dirname(file), name))
        .filter((target) => known.has(target));
      return [file, [...new Set(targets)]];
    }),
  );
}

/**
 * Tarjan's strongly connected components.
 * @param {Map<string, string[]>} imports
 * @returns {Map<string, Set<string>>} each file that is in a cycle, to all files of that cycle
 */
export function cyclesIn(imports) {
  const indices = new Map();
  const lowest = new Map();
  const stack = [];
  const onStack = new Set();
  const cycles = new Map();
  const visit = (file) => {
    indices.set(file, indices.size);
    lowest.set(file, indices.get(file));
    stack.push(file);
    onStack.add(file);
    for (const target of imports.get(file) ?? []) {
      if (!indices.has(target)) {
        visit(target);
        lowest.set(file, Math.min(lowest.get(file), lowest.get(target)));
      } else if (onStack.has(target)) lowest.set(file, Math.min(lowest.get(file), indices.get(target)));
    }
    if (lowest.get(file) !== indices.get(file)) return;
    const members = stack.splice(stack.indexOf(file));
    for (const member of members) onStack.delete(member);
    if (members.length === 1) return;
    const cycle = new Set(members);
    for (const member of members) cycles.set(member, cycle);
  };
  for (const file of imports.keys()) if (!indices.has(file)) visit(file);
  return cycles;
}
