/** The checks of `npm run check`: types, lint, the order of the folders, format, and C++ warnings. */
import { join } from 'node:path';
import { firstLineProblems } from '../lint/first-lines.mjs';
import { buildNative } from '../setup/native.mjs';
import { createProgress } from '../setup/progress.mjs';
import { cacheFolder, inProject } from '../setup/project.mjs';
import { crowdedFolders, folderProblems } from './folders.mjs';
import { inLanes, inOnePiece } from './lanes.mjs';
import { namedFileProblems } from './named-files.mjs';
import { show } from './show.mjs';
import { headerProblems } from './standard-headers.mjs';
import { unusedProblems } from './unused.mjs';

const tool = (...parts) => inProject('node_modules', ...parts);

/** @param {readonly string[]} problems @param {Output} [output] @returns {number} an exit code */
function showProblems(problems, output = process.stderr) {
  for (const problem of problems) output.write(`${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

/**
 * @typedef {import('./show.mjs').Output} Output
 * @typedef {{ name: string, lane?: number, run: (node: string, output?: Output) => Promise<number> }} Check
 * @type {readonly Check[]}
 */
export const checks = [
  {
    // Takes as long as all others together.
    name: 'types and lint',
    lane: 1,
    run: (node, output) => show(node, [tool('oxlint', 'bin', 'oxlint'), 'src', 'e2e', 'bench'], {}, output),
  },
  {
    name: 'folders of src/: order and cycles',
    run: async (_node, output) => {
      // Its parser is installed by the set-up only.
      const { arrowProblems } = await import('../lint/arrows.mjs');
      return showProblems(arrowProblems(), output);
    },
  },
  {
    name: 'first lines of source files',
    run: async (_node, output) => showProblems(firstLineProblems(inProject()), output),
  },
  {
    name: 'folders of native/: order, cycles, size',
    run: async (_node, output) => showProblems(folderProblems(inProject()), output),
  },
  {
    name: 'standard headers of native/',
    run: async (_node, output) => showProblems(headerProblems(inProject()), output),
  },
  {
    name: 'files that documents name',
    run: async (_node, output) => showProblems(namedFileProblems(inProject()), output),
  },
  {
    name: 'sizes of files, and of the folders of src/',
    run: async (_node, output) => {
      // Its parser is installed by the set-up only.
      const { longFilesOf, programFiles } = await import('./sizes.mjs');
      return showProblems(
        [...crowdedFolders(programFiles(inProject())), ...longFilesOf(inProject())],
        output,
      );
    },
  },
  {
    name: 'words outside the dictionaries',
    run: async (_node, output) => {
      // Its parser is installed by the set-up only.
      const { allWordProblems } = await import('../lint/words.mjs');
      return showProblems(allWordProblems(), output);
    },
  },
  {
    name: 'unused files, exports and packages',
    run: async (node, output) => showProblems(await unusedProblems(node), output),
  },
  {
    name: 'format',
    run: (node, output) =>
      show(
        node,
        [
          tool('prettier', 'bin', 'prettier.cjs'),
          '--check',
          '--log-level=warn',
          '--cache',
          '--cache-location=.cache/prettier',
          '.',
        ],
        {},
        output,
      ),
  },
  {
    name: 'what the installers would hold',
    run: (node, output) => show(node, [inProject('scripts', 'package.mjs'), '--check'], {}, output),
  },
  {
    name: 'C++ without warnings',
    // native/CMakeLists.txt sets -Werror: a successful build has no warning.
    run: async (node, output = process.stderr) => {
      await buildNative(createProgress({ stream: output }));
      return 0;
    },
  },
];

const logName = (name) => `check-${name.replaceAll(/[^\w]+/g, '-')}`;

/**
 * @param {string} node
 * @param {readonly Check[]} [chosen]
 * @param {Output} [output]
 * @returns {Promise<import('./counts.mjs').Counts>}
 */
export async function runChecks(node, chosen = checks, output = process.stdout) {
  const pieces = inOnePiece(
    chosen.map(({ name }) => logName(name)),
    join(cacheFolder, 'reports'),
    (text) => output.write(text),
  );
  const failures = await inLanes(
    chosen,
    ({ lane = 0 }) => lane,
    async ({ name, run }) => {
      const writer = pieces.output(logName(name));
      const start = performance.now();
      const code = await run(node, writer).catch((error) => {
        writer.write(`${error.message}\n${error.output ?? ''}\n`);
        return 1;
      });
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      writer.write(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)\n`);
      pieces.end(logName(name));
      return code === 0 ? [] : [name];
    },
  );
  const failed = failures.flat();
  return { passed: chosen.length - failed.length, failed: failed.length, skipped: 0, failures: failed };
}
