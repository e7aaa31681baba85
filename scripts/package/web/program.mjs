/** The files of the web host, which all its packages hold: the built program without Electron, and what it sends to nodes. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from '../../setup/project.mjs';
import { packagedFiles } from '../contents.mjs';

/** Electron's own parts, and icons that only its installers use. */
const notHere = /^(?:dist\/main\/(?:electron\.js|preload\.cjs)|assets\/icons\/|sbom\.cdx\.json$)/;
const hostProgram = 'dist/main/cli.js';

/**
 * What electron-builder.yml includes, with the command line and web host in place of Electron's program.
 * @param {Record<string, any>} config
 * @returns {import('./tar.mjs').Entry[]} with a trainer where one was built here: nodes of the same kind get it
 */
export function programFiles(config) {
  const files = packagedFiles(config, 'linux')
    .map(({ path, source }) => ({ path: path.replace(/^app\.asar\//, ''), source }))
    .filter(({ path }) => !notHere.test(path) && path !== 'package.json');
  return [...files, { path: hostProgram, source: inProject(...hostProgram.split('/')) }].map(
    ({ path, source }) => ({
      path,
      content: { file: source },
      executable: path === 'native/build/ringlab-train',
    }),
  );
}

/** Sizes that the icon theme knows, below `share/icons/`. */
export const iconFiles = () => [
  ...[16, 32, 48, 64, 128, 256, 512].map((size) => ({
    path: `share/icons/hicolor/${size}x${size}/apps/ringlab.png`,
    content: { file: inProject('assets', 'icons', 'png', `${size}x${size}.png`) },
  })),
  {
    path: 'share/icons/hicolor/scalable/apps/ringlab.svg',
    content: { file: inProject('assets', 'icons', 'web', 'icon.svg') },
  },
];

/**
 * The manifest in every package: the program finds its folder by it. Its dependencies are bundled.
 * @param {{ npm: boolean }} kind npm's package has a program of its own for `npx`, and brings Node
 */
export function manifestOf({ npm }) {
  const { name, version, description, license, author, engines, optionalDependencies } = JSON.parse(
    readFileSync(inProject('package.json'), 'utf8'),
  );
  return {
    name,
    version,
    description,
    license,
    author,
    type: 'module',
    ...(npm ? { bin: { ringlab: 'bin/ringlab.mjs' }, engines, optionalDependencies } : {}),
  };
}

/** @param {string} path @param {string} content @param {boolean} [executable] @returns {import('./tar.mjs').Entry} */
export const textFile = (path, content, executable = false) => ({
  path,
  content: Buffer.from(content, 'utf8'),
  executable,
});

/** @param {object} value */
export const json = (value) => `${JSON.stringify(value, undefined, 2)}\n`;

/**
 * The Node of this system, which an optional dependency brought; undefined where it is not in node_modules.
 * @param {string} arch process.arch of the package
 * @returns {{ version: string, files: import('./tar.mjs').Entry[] } | undefined}
 */
export function nodeFor(arch) {
  const folder = inProject('node_modules', `node-linux-${arch}`);
  const program = join(folder, 'bin', 'node');
  if (statSync(program, { throwIfNoEntry: false }) === undefined) return undefined;
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return {
    version,
    files: [
      { path: 'node/bin/node', content: { file: program }, executable: true },
      { path: 'node/LICENSE', content: { file: join(folder, 'LICENSE') } },
    ],
  };
}
