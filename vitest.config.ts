import { availableParallelism } from 'node:os';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

/** Minutes each: a part of `npm run test:full`, which asks for these alone. */
const slow = '**/*.full.test.ts';
const full = process.env.RINGLAB_FULL !== undefined;

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
          testTimeout: 60_000,
          hookTimeout: 60_000,
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
          testTimeout: 60_000,
        },
      },
      {
        test: { name: 'scripts', environment: 'node', include: ['scripts/**/*.test.mjs'] },
      },
      {
        plugins: [react()],
        test: {
          name: 'renderer',
          // Most tests of the window need no page; the others say so: `// @vitest-environment jsdom`, one second each.
          environment: 'node',
          pool: 'threads',
          include: ['src/renderer/**/*.test.{ts,tsx}'],
          testTimeout: 120_000,
        },
      },
    ],
  },
});
