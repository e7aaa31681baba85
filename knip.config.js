/** Finds files, exports and packages that nobody uses (`npm run check`). */
import { measurements } from './scripts/suites/measurements.mjs';

/**
 * Listed here are only the programs that something starts by their path; tests,
 * specs, the window and the tools' own configurations are found by knip itself.
 */
export default {
  entry: [
    'scripts/*.mjs',
    'scripts/setup/bundle.mjs',
    // In npm's package.
    'scripts/package/web/npm-launcher.mjs',
    ...measurements().map((name) => `bench/${name}.ts`),
    'src/main/hosts/{start,electron/main}.ts',
    // From sources, without the bundle.
    'src/main/hosts/cli/main.ts',
    'src/main/store/worker.ts',
    'src/preload/preload.ts',
    // Processes of tests.
    'src/main/store/testing/{append-forever,hold-store}.ts',
    'src/main/attacks/hostile-node/app-process.ts',
    // A cluster raised by hand.
    'src/main/run/launch/slurm/testing/raise.ts',
    'e2e/electron-standin/{register,electron-module}.ts',
  ],
  project: ['src/**/*.{ts,tsx,css}', 'e2e/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.mjs'],
  playwright: { config: 'e2e/playwright.config.ts', entry: 'e2e/**/*.spec.ts' },
  // Programs of the system: docs/dependencies.md, 'From Debian'.
  rules: { binaries: 'off' },
  // Style sheets are files that something has to import; what they import themselves is no matter.
  compilers: { css: () => '' },
};
