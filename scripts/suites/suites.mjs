/** The suites of `npm test`: how each is run and how its report is read. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, inProject, nativeBuild } from '../setup/project.mjs';
import { checks, runChecks } from './checks.mjs';
import { ctestCounts, playwrightCounts, vitestCounts, withExit } from './counts.mjs';
import { show } from './show.mjs';
import { trappedFiles, withTrapped } from './trapped-files.mjs';

export const reports = join(cacheFolder, 'reports');

/**
 * Runs a program that writes a report, and returns the report's counts.
 * @param {string} name of the report's file
 * @param {(text: string) => import('./counts.mjs').Counts} count
 * @param {(report: string) => Promise<number>} run → exit code
 * @param {import('./show.mjs').Output} [output]
 */
async function reported(name, count, run, output = process.stderr) {
  mkdirSync(reports, { recursive: true });
  const report = join(reports, name);
  rmSync(report, { force: true });
  const code = await run(report);
  try {
    return withExit(count(readFileSync(report, 'utf8')), code);
  } catch (error) {
    output.write(`The suite left no report: ${error instanceof Error ? error.message : String(error)}\n`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/**
 * @param {string} folder of a native build
 * @param {string} [report] the name of its file
 * @param {typeof show} [run] runs ctest; a chroot passes its own
 */
export const runCtest = (folder, report = 'ctest.xml', run = show) =>
  reported(report, ctestCounts, (path) =>
    run('ctest', [
      '--test-dir',
      folder,
      '--output-on-failure',
      '--no-tests=error',
      // Tests often wait for ranks that wait for each other.
      '-j',
      String(availableParallelism() + 1),
      '--output-junit',
      path,
    ]),
  );

/**
 * A plain `npm test` leaves out what is slow. With arguments for the runner, all tests can be chosen.
 * @param {readonly string[]} rest
 * @param {Record<string, string>} environment RINGLAB_SLOW: with the slow tests
 */
const isQuick = (rest, environment) => rest.length === 0 && environment.RINGLAB_SLOW === undefined;
const quick = (rest, environment) =>
  isQuick(rest, environment) ? { RINGLAB_QUICK: '1', ...environment } : environment;

/**
 * @typedef {object} Suite
 * @property {string} name as given to `npm test -- NAME`
 * @property {string} about
 * @property {number} lane suites of different lanes run side by side (lanes.mjs)
 * @property {(node: string, rest: readonly string[], environment?: Record<string, string>, output?: import('./show.mjs').Output) => Promise<import('./counts.mjs').Counts>} run
 *
 * @type {readonly Suite[]}
 */
export const suites = [
  {
    name: 'check',
    about: 'types, lint, format, C++ warnings',
    lane: 0,
    run: (node, rest, environment, output) => runChecks(node, checks, output),
  },
  {
    name: 'unit',
    about: 'Vitest: src and scripts',
    lane: 0,
    run: async (node, rest, environment = {}, output = process.stdout) => {
      const said = [];
      const listening = {
        write(text) {
          said.push(text);
          output.write(text);
        },
      };
      const run = (name, chosen) =>
        reported(
          name,
          vitestCounts,
          (report) =>
            show(
              node,
              [
                inProject('node_modules', 'vitest', 'vitest.mjs'),
                'run',
                '--reporter=default',
                '--reporter=json',
                `--outputFile.json=${report}`,
                ...chosen,
              ],
              quick(rest, environment),
              listening,
            ),
          output,
        );
      const counts = await run('vitest.json', rest);
      const trapped = trappedFiles(said.join(''));
      if (trapped.length === 0) return counts;
      output.write(`\nEnded by Node itself (SIGTRAP), and run again: ${trapped.join(' ')}\n`);
      return withTrapped(counts, trapped, await run('vitest-again.json', trapped));
    },
  },
  {
    name: 'native',
    about: 'CTest: the trainer',
    lane: 0,
    run: (node, rest, environment = {}, output = undefined) => {
      const selection = isQuick(rest, environment) ? ['-LE', 'slow'] : rest;
      return runCtest(nativeBuild, 'ctest.xml', (program, args) =>
        show(program, [...args, ...selection], environment, output),
      );
    },
  },
  {
    // The window, the app and the ranks spend most of the time waiting: the other suites run meanwhile.
    name: 'e2e',
    about: 'Playwright: what a user does',
    lane: 1,
    run: (node, rest, environment = {}, output = undefined) =>
      reported(
        'playwright.json',
        playwrightCounts,
        (report) =>
          show(
            node,
            [
              inProject('node_modules', '@playwright', 'test', 'cli.js'),
              'test',
              '-c',
              'e2e/playwright.config.ts',
              ...rest,
            ],
            { RINGLAB_REPORT: report, ...quick(rest, environment) },
            output,
          ),
        output,
      ),
  },
];
