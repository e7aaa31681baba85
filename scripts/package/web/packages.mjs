/** The packages of the web host: npm's, Debian's and a portable one. Their bytes depend on the files and the time given. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { documentFiles } from './documents.mjs';
import { desktopEntry, installScript, launcher, uninstallScript } from './launchers.mjs';
import { arOf, bytesOf, tarOf } from './tar.mjs';
import { iconFiles, json, manifestOf, textFile } from './program.mjs';

/**
 * @typedef {object} Parts
 * @property {string} version
 * @property {number} seconds since 1970, of every entry
 * @property {readonly import('./tar.mjs').Entry[]} program what programFiles lists
 * @property {Uint8Array} sbom
 * @property {Map<string, string>} documents what readDocuments returns
 * @property {string} npmLauncher `bin/ringlab.mjs`
 *
 * @typedef {object} WithNode
 * @property {'x64' | 'arm64'} arch
 * @property {readonly import('./tar.mjs').Entry[]} node
 * @property {(bytes: Buffer) => Promise<Buffer>} xz
 */

/** Debian's names of architectures. */
const debian = { x64: 'amd64', arm64: 'arm64' };

/** @param {Parts} parts */
const common = ({ program, sbom }) => [...program, { path: 'sbom.cdx.json', content: sbom }];

/**
 * `npm install FILE` or `npx FILE` runs it, with the user's Node or the one that its optional dependency brings.
 * @param {Parts} parts
 */
export function npmPackage(parts) {
  const entries = [
    ...common(parts),
    textFile('package.json', json(manifestOf({ npm: true }))),
    textFile('bin/ringlab.mjs', parts.npmLauncher, true),
    ...documentFiles(parts.documents, parts.program, { documents: '', program: '' }),
  ];
  const tar = tarOf(entries, { seconds: parts.seconds, prefix: 'package/', folders: false });
  return { name: `ringlab-${parts.version}.tgz`, bytes: gzipSync(tar, { level: 9 }) };
}

/** The program's folder with its own Node, as it is in /usr/lib/ringlab. @param {Parts & WithNode} parts */
const withNode = (parts) => [
  ...common(parts),
  ...parts.node,
  textFile('package.json', json(manifestOf({ npm: false }))),
  textFile('bin/ringlab', launcher, true),
];

/**
 * An archive that runs where it is unpacked; its install.sh installs for one user.
 * @param {Parts & WithNode} parts
 */
export async function portablePackage(parts) {
  const name = `ringlab-${parts.version}-linux-${parts.arch}`;
  const icons = iconFiles();
  const entries = [
    ...withNode(parts),
    ...icons,
    textFile('share/applications/ringlab.desktop', desktopEntry('ringlab', parts.version)),
    textFile('install.sh', installScript(icons.map(({ path }) => path)), true),
    textFile('uninstall.sh', uninstallScript(icons.map(({ path }) => path)), true),
    ...documentFiles(parts.documents, parts.program, { documents: '', program: '' }),
  ];
  const tar = tarOf(entries, { seconds: parts.seconds, prefix: `${name}/` });
  return { name: `${name}.tar.xz`, bytes: await parts.xz(tar) };
}

/**
 * A Debian package (deb(5)). It runs no script when it is installed or removed.
 * @param {Parts & WithNode} parts
 */
export async function debianPackage(parts) {
  const { version, seconds, arch, xz } = parts;
  const licence = parts.program.find(({ path }) => path === 'LICENSE');
  if (licence === undefined) throw new Error('the program has no LICENSE');
  const entries = [
    ...withNode(parts).map((entry) => ({ ...entry, path: `usr/lib/ringlab/${entry.path}` })),
    { path: 'usr/bin/ringlab', content: { link: '../lib/ringlab/bin/ringlab' } },
    ...iconFiles().map((entry) => ({ ...entry, path: `usr/${entry.path}` })),
    textFile('usr/share/applications/ringlab.desktop', desktopEntry('ringlab', version)),
    { path: 'usr/share/doc/ringlab-web/copyright', content: licence.content },
    ...documentFiles(parts.documents, parts.program, {
      documents: 'usr/share/doc/ringlab-web/',
      program: 'usr/lib/ringlab/',
    }),
  ].map((entry) => ({ ...entry, path: `./${entry.path}` }));
  const files = entries.filter(({ content }) => !('link' in content));
  const sizes = files.map((entry) => bytesOf(entry).length);
  const control = [
    'Package: ringlab-web',
    `Version: ${version}`,
    `Architecture: ${debian[arch]}`,
    'Maintainer: The Ringlab authors <authors@ringlab.invalid>',
    `Installed-Size: ${Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / 1024)}`,
    'Depends: libc6 (>= 2.28), libgcc-s1 | libgcc1, libstdc++6 (>= 8)',
    'Recommends: openssh-client, chromium | google-chrome-stable | microsoft-edge-stable | firefox-esr | firefox | www-browser, xdg-utils',
    'Suggests: libtorch-dev, cmake, ninja-build, g++, libjpeg-dev, zlib1g-dev, libtiff-dev, libwebp-dev, iproute2',
    'Provides: ringlab',
    'Conflicts: ringlab',
    'Replaces: ringlab',
    'Section: science',
    'Priority: optional',
    'Description: desktop lab for distributed deep learning',
    ' Draw machines and links, train over SSH with a native trainer on PyTorch’s c10d,',
    ' and watch it learn. The window is a page of this computer in an app window of the',
    ' browser that is installed. Comes with its own Node.',
    '',
  ].join('\n');
  const sums = files
    .map((entry) => `${createHash('md5').update(bytesOf(entry)).digest('hex')}  ${entry.path.slice(2)}\n`)
    .sort((a, b) => (a.slice(34) < b.slice(34) ? -1 : 1));
  const meta = [textFile('./control', control), textFile('./md5sums', sums.join(''))];
  return {
    name: `ringlab-web_${version}_${debian[arch]}.deb`,
    bytes: arOf(
      [
        { name: 'debian-binary', bytes: Buffer.from('2.0\n') },
        { name: 'control.tar.xz', bytes: await xz(tarOf(meta, { seconds })) },
        { name: 'data.tar.xz', bytes: await xz(tarOf(entries, { seconds })) },
      ],
      seconds,
    ),
  };
}
