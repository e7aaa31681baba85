/** Import cycles, and imports against the order of the folders. Each message says where the code belongs. */
import { join, relative, sep } from 'node:path';
import { inProject } from '../setup/project.mjs';
import { forTests } from '../suites/folders.mjs';
import { cyclesIn, importsWithin } from './imports.mjs';
import { orders } from './orders.mjs';

/**
 * The folder of `root` that holds a path, or the file beside its folders; undefined outside of it.
 * @param {string} root
 * @param {string} path
 */
function folderIn(root, path) {
  const inside = relative(root, path);
  return inside.startsWith('..') ? undefined : inside.split(sep)[0].replace(/\.tsx?$/, '');
}

/**
 * @param {import('./orders.mjs').Order} order
 * @param {ReadonlyMap<string, readonly string[]>} imports paths, relative to the project
 * @returns {string[]} one message a problem
 */
export function orderProblems({ root, levels, open }, imports) {
  const problems = [];
  const level = (folder) => levels.findIndex((folders) => folders.includes(folder));
  const orderText = levels.map((folders) => folders.join(', ')).join(' ← ');
  for (const [file, targets] of imports) {
    const from = folderIn(root, file);
    // A folder's own index exports the folder's public names; tests may import anything.
    if (from === undefined || from === 'index' || forTests.test(file)) continue;
    if (level(from) === -1) {
      problems.push(
        `${file}: ${from} has no place in the order of ${root}: give it one in scripts/lint/orders.mjs and ARCHITECTURE.md.`,
      );
      continue;
    }
    for (const target of targets) {
      const to = folderIn(root, target);
      if (to === undefined || to === from) continue;
      const inner = relative(root, target);
      const isOpen = open === 'all' || open.includes(to) || open.includes(inner);
      if (level(to) === -1 || level(to) >= level(from))
        problems.push(
          `${file} imports ${target}. In ${root} the order is ${orderText}: what ${from} and ${to} both need belongs in ${from} or in a folder before it.`,
        );
      else if (!isOpen && inner !== join(to, 'index.ts'))
        problems.push(`${file} imports ${target}. Import ${to}'s index.ts, never its insides.`);
    }
  }
  return problems;
}

/**
 * @param {ReadonlyMap<string, readonly string[]>} imports
 * @returns {string[]} one message a cycle
 */
const cycleProblems = (imports) =>
  [...new Set(cyclesIn(imports).values())].map(
    (cycle) =>
      `${String(cycle.size)} files import each other (${[...cycle].slice(0, 6).join(', ')}): move what both sides need into a file of its own below them, or pass it in as an argument.`,
  );

/** @returns {string[]} the problems of `src` */
export function arrowProblems() {
  const path = (file) => relative(inProject(), file);
  const imports = new Map(
    [...importsWithin(join(inProject(), 'src'))].map(([file, targets]) => [path(file), targets.map(path)]),
  );
  return [...cycleProblems(imports), ...orders.flatMap((order) => orderProblems(order, imports))];
}
