/** What `npm run check` looks at: types, lint with the arrows of the house, the native folders, format, and the C++ build's warnings. */
import { buildNative } from '../setup/native.mjs';
import { createProgress } from '../setup/progress.mjs';
import { inProject } from '../setup/project.mjs';
import { crowdedFolders, folderProblems } from './folders.mjs';
import { show } from './show.mjs';
import { unusedProblems } from './unused.mjs';

const layers = ['src/shared', 'src/main', 'src/preload', 'src/renderer', 'e2e', 'bench'];
const tool = (...parts) => inProject('node_modules', ...parts);

/** @param {readonly string[]} problems @param {Output} [output] @returns {number} an exit code */
function showProblems(problems, output = process.stderr) {
  for (const problem of problems) output.write(`${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

/**
 * @typedef {import('./show.mjs').Output} Output
 * @typedef {{ name: string, run: (node: string, output?: Output) => Promise<number> }} Check
 * @type {readonly Check[]}
 */
export const checks = [
  ...layers.map((layer) => ({
    name: `types of ${layer}`,
    run: (node, output) => show(node, [tool('typescript', 'bin', 'tsc'), '-p', layer], {}, output),
  })),
  {
    name: 'lint and arrows',
    run: (node, output) =>
      show(
        node,
        [
          '--max-old-space-size=4096',
          tool('eslint', 'bin', 'eslint.js'),
          '--max-warnings=0',
          'src',
          'e2e',
          'bench',
        ],
        {},
        output,
      ),
  },
  {
    name: 'folders of native/: order, cycles, size',
    run: async (_node, output) => showProblems(folderProblems(inProject()), output),
  },
  {
    name: 'sizes of folders and files of src/',
    run: async (_node, output) => {
      // It reads with the compiler, which is there after the set-up only.
      const { longFilesOf, programFiles } = await import('./sizes.mjs');
      return showProblems(
        [...crowdedFolders(programFiles(inProject())), ...longFilesOf(inProject())],
        output,
      );
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
    // -Werror stands in native/CMakeLists.txt: what builds has no warning.
    run: async (node, output = process.stderr) => {
      await buildNative(createProgress({ stream: output }));
      return 0;
    },
  },
];

/**
 * @param {string} node
 * @param {readonly Check[]} chosen
 * @param {Output} [output] the terminal itself where it is left away
 * @returns {Promise<import('./counts.mjs').Counts>}
 */
export async function runChecks(node, chosen = checks, output = undefined) {
  const words = output ?? process.stdout;
  const failures = [];
  for (const { name, run } of chosen) {
    const start = performance.now();
    const code = await run(node, output).catch((error) => {
      words.write(`${error.message}\n${error.output ?? ''}\n`);
      return 1;
    });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    words.write(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)\n`);
    if (code !== 0) failures.push(name);
  }
  return { passed: chosen.length - failures.length, failed: failures.length, skipped: 0, failures };
}
