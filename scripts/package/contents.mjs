/** Lists the files that electron-builder would include, with its own matchers, and checks the list. */
import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { root } from '../setup/project.mjs';

const require = createRequire(import.meta.url);
const { getFileMatchers } = require('app-builder-lib/out/fileMatcher');
const { getConfig, validateConfiguration } = require('app-builder-lib/out/util/config/config');
const { DebugLogger } = require('builder-util');

/** Takes the place of the installed app's resources; nothing is written there. */
const installed = join(root, 'release', 'resources');

export const platforms = /** @type {const} */ (['linux', 'win', 'mac']);

/**
 * electron-builder.yml, checked against electron-builder's own schema.
 * @returns {Promise<Record<string, any>>} rejects with the schema's messages
 */
export async function readConfig() {
  const config = await getConfig(root, 'electron-builder.yml', null);
  await validateConfiguration(config, new DebugLogger(false));
  return config;
}

/**
 * @typedef {{ path: string, bytes: number, source: string }} PackagedFile `path` as in the installed app: `app.asar/…`, or
 *   beside it; `source` is the file of this computer
 *
 * @param {Record<string, any>} config
 * @param {'linux' | 'win' | 'mac'} platform
 * @returns {PackagedFile[]} sorted
 */
export function packagedFiles(config, platform) {
  const options = {
    macroExpander: (pattern) => pattern.replaceAll('${arch}', 'x64'),
    customBuildOptions: config[platform] ?? {},
    globalOutDir: join(root, config.directories.output),
    defaultSrc: root,
  };
  const inside = getFileMatchers(config, 'files', join(installed, 'app.asar'), options) ?? [];
  const beside = getFileMatchers(config, 'extraResources', installed, options) ?? [];
  return [...inside, ...beside]
    .flatMap((matcher) => taken(matcher))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** electron-builder calls a matcher for each file, and for each folder to decide whether to enter it. */
function taken(matcher) {
  const { from, to } = matcher;
  const stat = statSync(from, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (stat.isFile()) return [{ path: placeOf(to), bytes: stat.size, source: from }];
  const filter = matcher.isEmpty() ? () => true : matcher.createFilter();
  const files = [];
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (from === root && ['node_modules', '.git', 'release', '.cache'].includes(entry.name)) continue;
      if (entry.isDirectory()) {
        visit(path);
      } else if (entry.isFile()) {
        const found = statSync(path);
        if (filter(path, found))
          files.push({ path: placeOf(join(to, relative(from, path))), bytes: found.size, source: path });
      }
    }
  };
  visit(from);
  return files;
}

const placeOf = (path) => relative(installed, path).split(sep).join('/');

/** Required: without these the installed app does not start, or cannot show or send anything. */
const needed = [
  /^app\.asar\/package\.json$/,
  /^app\.asar\/dist\/main\/electron\.js$/,
  /^app\.asar\/dist\/main\/part-app-\w+\.js$/,
  /^app\.asar\/dist\/main\/store-worker\.js$/,
  /^app\.asar\/dist\/main\/preload\.cjs$/,
  /^app\.asar\/dist\/renderer\/index\.html$/,
  /^app\.asar\/dist\/renderer\/assets\/.*\.js$/,
  /^app\.asar\/dist\/renderer\/assets\/.*\.css$/,
  /^assets\/labs\/three-local-nodes\.lab\.json$/,
  /^assets\/archive-keys\/debian-12\.asc$/,
  /^assets\/icons\/png\/256x256\.png$/,
  /^sbom\.cdx\.json$/,
  /^native\/CMakeLists\.txt$/,
  /^native\/.*\.cpp$/,
  /^native\/.*\.h$/,
  /^python\/ringlab\/__init__\.py$/,
];
/** Must not be included. */
const unwanted =
  /(?:^|\/)(?:node_modules|\.git|\.cache|e2e|src\/(?:main|renderer))\/|^scripts\/|\.(?:map|test\.[jt]s|test\.mjs|o|a)$|^native\/(?:tests|build\/(?!ringlab-train(?:\.glibc)?$))/;

/**
 * @param {readonly PackagedFile[]} files
 * @returns {string[]} the problems of the list, as text
 */
export function problemsOf(files) {
  return [
    ...needed
      .filter((pattern) => !files.some(({ path }) => pattern.test(path)))
      .map((pattern) => `missing: ${pattern.source.replaceAll(/\\(?=[./])|[\^$]/g, '')}`),
    ...files.filter(({ path }) => unwanted.test(path)).map(({ path }) => `should not go along: ${path}`),
  ];
}

/** @param {Record<string, any>} config @returns {string[]} icons that the configuration names but that do not exist */
export const missingIcons = (config) =>
  platforms
    .map((platform) => config[platform]?.icon)
    .filter(
      (icon) => icon !== undefined && statSync(join(root, icon), { throwIfNoEntry: false }) === undefined,
    );
