/**
 * The project's own ESLint rules. `no-cycle`: no import cycles, not even of types (which the rule of
 * eslint-plugin-import-x does not report). `order`: folders have an order, and import only from earlier ones.
 */
import { dirname, join, relative, sep } from 'node:path';
import { inProject } from '../setup/project.mjs';
import { cyclesIn, importsWithin } from './imports.mjs';

const src = inProject('src');
/** The import graph of `src`, read once for all files that are linted. */
let cycles;

/** Calls `look` with the node and the absolute path of every relative import. */
const eachImport = (context, look) => {
  const visit = ({ source }) => {
    if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return;
    look(source, join(dirname(context.filename), source.value));
  };
  return {
    ImportDeclaration: visit,
    ExportNamedDeclaration: visit,
    ExportAllDeclaration: visit,
    ImportExpression: visit,
    TSImportType: (node) => visit({ source: node.source }),
  };
};

const noCycle = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      cycle:
        'This import closes a cycle of {{count}} files ({{some}}): move what both sides need into a file of its own below them, or pass it in as an argument.',
    },
  },
  create(context) {
    cycles ??= cyclesIn(importsWithin(src));
    const cycle = cycles.get(context.filename);
    if (cycle === undefined) return {};
    return eachImport(context, (node, target) => {
      if (!cycle.has(target)) return;
      const some = [...cycle].map((file) => relative(src, file)).slice(0, 6);
      context.report({ node, messageId: 'cycle', data: { count: cycle.size, some: some.join(', ') } });
    });
  },
};

/**
 * The folder (or the file beside the folders) of `root` in its order that holds a path; undefined for paths outside of it.
 * @returns {string | undefined}
 */
const roomOf = (root, file) => {
  const path = relative(inProject(root), file);
  return path.startsWith('..') ? undefined : path.split(sep)[0].replace(/\.tsx?$/, '');
};

const order = {
  meta: {
    type: 'problem',
    schema: [{ type: 'array' }],
    messages: {
      later:
        'In {{root}} the order is {{order}}: {{from}} does not import {{to}}. What both need belongs in {{from}} or in a folder before it.',
      inside: "Import {{to}}'s index.ts, never its insides.",
      unknown:
        '{{room}} has no place in the order of {{root}}: give it one in eslint.config.js and ARCHITECTURE.md.',
    },
  },
  create(context) {
    const [orders] = context.options;
    const violations = orders.flatMap(({ root, levels, open }) => {
      const from = roomOf(root, context.filename);
      // A folder's own index exports the folder's public names.
      return from === undefined || from === 'index' ? [] : [{ root, levels, open, from }];
    });
    return {
      Program(node) {
        for (const { root, levels, from } of violations)
          if (!levels.flat().includes(from))
            context.report({ node, messageId: 'unknown', data: { root, room: from } });
      },
      ...eachImport(context, (node, target) => {
        for (const { root, levels, open, from } of violations) {
          const to = roomOf(root, target);
          if (to === undefined || to === from) continue;
          const level = (room) => levels.findIndex((rooms) => rooms.includes(room));
          if (level(to) === -1 || level(to) >= level(from)) {
            const orderText = levels.map((rooms) => rooms.join(', ')).join(' ← ');
            context.report({ node, messageId: 'later', data: { root, order: orderText, from, to } });
          } else if (
            open !== 'all' &&
            !open.includes(to) &&
            relative(inProject(root, to), target) !== 'index.ts'
          )
            context.report({ node, messageId: 'inside', data: { to } });
        }
      }),
    };
  },
};

export default { rules: { 'no-cycle': noCycle, order } };
