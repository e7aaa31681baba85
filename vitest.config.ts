import { availableParallelism } from 'node:os';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

/** Minutes each: a part of `npm run test:full`, which asks for these alone. */
const slow = '**/*.full.test.ts';
const full = process.env.RINGLAB_FULL !== undefined;

/** A busy machine takes its time: these only end what hangs. */
const patience = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
};

export default defineConfig({
  test: {
    // Most tests wait for a server or a trainer: one worker would leave a small machine idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: 'main',
          environment: 'node',
          include: [full ? slow : 'src/{main,preload}/**/*.test.ts'],
          exclude: full ? [] : [slow],
          ...patience,
        },
      },
      {
        test: {
          name: 'shared',
          environment: 'node',
          pool: 'threads',
          // Values in, values out: nothing that one file could leave to the next.
          isolate: false,
          include: ['src/shared/**/*.test.ts'],
          ...patience,
        },
      },
      {
        test: { name: 'scripts', environment: 'node', include: ['scripts/**/*.test.mjs'], ...patience },
      },
      {
        plugins: [react()],
        test: {
          name: 'renderer',
          // Most tests of the window need no page; the others say so: `// @vitest-environment jsdom`, one second each.
          environment: 'node',
          pool: 'threads',
          include: ['src/renderer/**/*.test.{ts,tsx}'],
          ...patience,
        },
      },
    ],
  },
});
