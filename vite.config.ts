/** How Vite builds the window, and serves it while it is developed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The port of the web host that a dev server stands before (scripts/dev.mjs). */
const host = `http://127.0.0.1:${process.env.RINGLAB_DEV_HOST ?? '0'}`;

/** Packages that change seldom are a file of their own: a new version of ours leaves them in the browser's cache. */
const vendors: readonly (readonly [name: string, test: RegExp])[] = [
  [
    'charts',
    /node_modules[\\/](?:recharts|d3-|victory-vendor|@reduxjs|redux|react-redux|immer|reselect|decimal)/,
  ],
  ['canvas', /node_modules[\\/]@xyflow[\\/]/],
  ['mantine', /node_modules[\\/](?:@mantine|@floating-ui)[\\/]/],
  ['react', /node_modules[\\/](?:react|react-dom|scheduler)[\\/]/],
];

/** Beside each text file the same one compressed: the web host's page may come over a slow link (`ssh -L`). */
const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  writeBundle({ dir = '' }, bundle) {
    for (const name of Object.keys(bundle).filter((one) => /\.(?:js|css)$/.test(one)))
      writeFileSync(join(dir, `${name}.gz`), gzipSync(readFileSync(join(dir, name)), { level: 9 }));
  },
};

export default defineConfig({
  root: 'src/renderer',
  base: './',
  publicDir: '../../assets/icons/web',
  plugins: [react(), compressed],
  build: {
    outDir: '../../dist/renderer',
    emptyOutDir: true,
    target: 'chrome120',
    // The page's CSP allows scripts and fonts from the app alone: nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: { codeSplitting: { groups: vendors.map(([name, test]) => ({ name, test })) } },
    },
  },
  worker: { format: 'es' },
  server: {
    host: '127.0.0.1',
    strictPort: true,
    proxy: { '/session': { target: host, ws: true } },
  },
});
