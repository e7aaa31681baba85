/**
 * Bundles the program with esbuild, for a quick start: an entry point loads its own file, and parts that are shared or that few
 * need, in the same folder. Usage: bundle.mjs FOLDER
 */
import { join } from 'node:path';
import { build } from 'esbuild';
import { inProject } from './project.mjs';

/** Name in dist/main → source. A worker is a program of its own, and so is the sandboxed preload. */
const entries = {
  cli: 'src/main/hosts/start.ts',
  electron: 'src/main/hosts/electron/main.ts',
  'store-worker': 'src/main/store/worker.ts',
};
const preload = 'src/preload/preload.ts';

/**
 * npm packages are partly CommonJS and need these names, which a module lacks. esbuild does not see the names in a banner, so
 * no source may declare the same ones.
 */
const banner = [
  "import { createRequire as bannerCreateRequire } from 'node:module';",
  "import { fileURLToPath as bannerFileURLToPath } from 'node:url';",
  "import { dirname as bannerDirname } from 'node:path';",
  'const require = bannerCreateRequire(import.meta.url);',
  'const __filename = bannerFileURLToPath(import.meta.url);',
  'const __dirname = bannerDirname(__filename);',
].join(' ');

/** ssh2 tries to load its native parts, which fit one version of Node each, and works without them. */
const withoutNativeParts = {
  name: 'without-native-parts',
  setup(context) {
    context.onResolve({ filter: /\.node$|^cpu-features$/ }, ({ path }) => ({ path, namespace: 'absent' }));
    context.onLoad({ filter: /.*/, namespace: 'absent' }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} is left out on purpose`)});`,
      loader: 'js',
    }));
  },
};

/** @param {string} folder */
export async function bundleMain(folder) {
  const common = { bundle: true, legalComments: 'none', logLevel: 'warning' };
  await build({
    ...common,
    entryPoints: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, inProject(path)])),
    outdir: folder,
    chunkNames: 'part-[name]-[hash]',
    platform: 'node',
    target: 'node24',
    format: 'esm',
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: 'linked',
    external: ['electron', 'bufferutil', 'utf-8-validate'],
    banner: { js: banner },
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [withoutNativeParts],
  });
  // A sandboxed preload is a classic script and may require `electron` only.
  await build({
    ...common,
    entryPoints: [inProject(preload)],
    outfile: join(folder, 'preload.cjs'),
    platform: 'browser',
    target: 'chrome140',
    format: 'cjs',
    external: ['electron'],
  });
}

const [folder] = process.argv.slice(2);
if (folder !== undefined) {
  // esbuild has printed the errors with their source lines.
  await bundleMain(folder).catch(() => process.exit(1));
}
