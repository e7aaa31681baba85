/** How Vitest runs the unit tests: which files share a worker, and which are too slow for a plain `npm test`. */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

/** Minutes each: parts of `npm run test:full`, which asks for these alone. */
const longest = 'src/main/**/*.full.test.ts';
const full = process.env.RINGLAB_FULL !== undefined;
/** Twenty seconds and more each: not in a plain `npm test`. */
const excluded = process.env.RINGLAB_QUICK === undefined ? [longest] : [longest, '**/*.slow.test.ts'];

/** A busy machine takes its time: these only end what hangs. */
const patience = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
};

/**
 * Test files that could leave nothing to the next one: no process, server, stand-in or mocked module is named in them. They share
 * a worker, which saves a quarter of a second of processor time each.
 */
const leavesSomething =
  /child_process|createServer|testing\/|@vitest-environment|vi\.(mock|doMock|useFakeTimers|stub|spyOn|hoisted)|setConfig|setLanguage|Store\b|Storage\b|globalThis\.|process\.(env|chdir|on|umask|kill)/;
const plainFiles = (folder: string): string[] =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.test\.(tsx?|mjs)$/.test(path) && !path.endsWith('.full.test.ts'))
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => !leavesSomething.test(readFileSync(join(import.meta.dirname, path), 'utf8')));
const shared = { pool: 'threads', isolate: false } as const;
const plain = full ? [] : ['src/main', 'src/preload', 'src/renderer', 'scripts'].flatMap(plainFiles);

export default defineConfig({
  test: {
    // Most tests wait for a server or a trainer: one worker a core would leave a small machine idle.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: 'main',
          environment: 'node',
          include: [full ? longest : 'src/{main,preload}/**/*.test.ts'],
          exclude: full ? [] : [...excluded, ...plain],
          ...patience,
        },
      },
      {
        plugins: [react()],
        test: {
          name: 'plain',
          environment: 'node',
          ...shared,
          include: plain,
          ...patience,
        },
      },
      {
        test: {
          name: 'shared',
          environment: 'node',
          ...shared,
          include: ['src/shared/**/*.test.ts'],
          ...patience,
        },
      },
      {
        test: {
          name: 'scripts',
          environment: 'node',
          include: ['scripts/**/*.test.mjs'],
          exclude: plain,
          ...patience,
        },
      },
      {
        plugins: [react()],
        test: {
          name: 'renderer',
          // Most tests of the window need no page; the others say so: `// @vitest-environment jsdom`, one second each.
          environment: 'node',
          pool: 'threads',
          include: ['src/renderer/**/*.test.{ts,tsx}'],
          exclude: plain,
          ...patience,
        },
      },
    ],
  },
});
