/** How Vite builds the window, and serves it while it is developed. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

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

export default defineConfig({
  root: 'src/renderer',
  base: './',
  publicDir: '../../assets/icons/web',
  plugins: [react()],
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
