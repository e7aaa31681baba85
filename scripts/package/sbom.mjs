/**
 * The bill of materials of a package (SBOM, CycloneDX): npm's own list of the program's dependencies, and what npm does not
 * know: Electron, and the libraries that the trainer is linked with on the machine that runs it.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SetupFailure } from '../setup/failure.mjs';
import { lastLines, runCommand } from '../setup/command.mjs';
import { runNpm } from '../setup/packages.mjs';
import { inProject } from '../setup/project.mjs';

/** The path that the package includes, as `sbom.cdx.json` beside the archive. */
export const sbomPath = inProject('dist', 'sbom.cdx.json');

/** The libraries that CMakeLists.txt searches for, with their Debian packages. Dynamic: each machine provides its own. */
const trainerLibraries = [
  ['libtorch', 'libtorch-dev'],
  ['libjpeg', 'libjpeg-dev'],
  ['libtiff', 'libtiff-dev'],
  ['libwebp', 'libwebp-dev'],
  ['zlib', 'zlib1g-dev'],
];

/**
 * What a package runs on, if it brings it.
 * @typedef {{ name: 'electron' | 'node', version: string } | { name: 'none' }} Host
 *
 * @param {object} npm the output of `npm sbom`
 * @param {{ name: string, version: string, host: Host, seconds: number, absent: readonly string[], debian: Record<string, string | undefined> }} known
 * `seconds`: the time of the list, since 1970; `absent`: packages that npm lists but no installer contains, as `name@version`;
 * `debian`: the versions of the Debian packages that the included trainer was built with
 */
export function completeSbom(npm, { name, version, host, seconds, absent, debian }) {
  const own = npm.metadata.component;
  const root = `${name}@${version}`;
  const isThere = (ref) => !absent.includes(ref);
  const added = [
    ...hostComponent(host),
    ...trainerLibraries.map(([library, packaged]) => ({
      'bom-ref': `native/${library}`,
      type: 'library',
      name: library,
      ...(debian[packaged] === undefined
        ? {}
        : {
            version: debian[packaged],
            purl: `pkg:deb/debian/${packaged}@${encodeURIComponent(debian[packaged])}`,
          }),
      scope: 'optional',
      description: 'Linked by the trainer; not in the package, each machine brings its own.',
    })),
  ];
  const bill = {
    ...npm,
    // npm uses the name of the folder as the name of the program.
    metadata: {
      ...npm.metadata,
      timestamp: new Date(seconds * 1000).toISOString(),
      component: { ...own, 'bom-ref': root, type: 'application', name },
    },
    components: [...npm.components.filter((part) => isThere(part['bom-ref'])), ...added],
    dependencies: [
      ...npm.dependencies
        .filter(({ ref }) => isThere(ref))
        .map(({ ref, dependsOn = [] }) => {
          const kept = dependsOn.filter(isThere);
          return ref === own['bom-ref']
            ? { ref: root, dependsOn: [...kept, ...added.map((part) => part['bom-ref'])] }
            : { ref, dependsOn: kept };
        }),
      ...added.map((part) => ({ ref: part['bom-ref'], dependsOn: [] })),
    ],
  };
  // npm's is random: the same list has the same number, so that two builds differ in no byte.
  return { ...bill, serialNumber: `urn:uuid:${uuidOf(JSON.stringify({ ...bill, serialNumber: '' }))}` };
}

/** A UUID that a text determines (version 8, RFC 9562). @param {string} text */
function uuidOf(text) {
  const digits = createHash('sha256').update(text).digest('hex').slice(0, 32).split('');
  digits[12] = '8';
  digits[16] = 'a';
  const hex = digits.join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** @param {Host} host */
function hostComponent(host) {
  if (host.name === 'none') return [];
  const { name, version } = host;
  const what = {
    electron: {
      type: 'framework',
      purl: `pkg:npm/electron@${version}`,
      description: 'With Chromium and Node of its own; the command line and the web host run without it.',
    },
    node: {
      type: 'platform',
      purl: `pkg:generic/node@${version}`,
      description: 'Runs the web host and the command line.',
    },
  };
  const { type, purl, description } = what[name];
  return [{ 'bom-ref': `${name}@${version}`, type, name, version, scope: 'required', purl, description }];
}

/**
 * @param {{ host?: Host, seconds: number }} options Electron by default, in the version that package.json names
 * @returns {Promise<object>}
 */
export async function makeSbom({ host, seconds }) {
  const { name, version, devDependencies } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  const args = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
    '--package-lock-only',
    '--loglevel=error',
  ];
  const { code, output } = await runNpm(args, undefined, inProject(), 64 * 1024 * 1024);
  const start = output.indexOf('{');
  if (code !== 0 || start < 0)
    throw new SetupFailure(
      'npm could not make the bill of materials',
      'see its last lines',
      lastLines(output, 20),
    );
  const known = {
    name,
    version,
    host: host ?? { name: 'electron', version: devDependencies.electron },
    seconds,
    absent: absentPackages(),
    debian: await debianVersions(),
  };
  return completeSbom(JSON.parse(output.slice(start, output.lastIndexOf('}') + 1)), known);
}

/**
 * Tools, Node for the sources, and ssh2's native parts: no package of ours contains them. npm's own `--omit=dev` also leaves
 * out packages that a tool and the program both use, such as React (npm 11).
 */
function absentPackages() {
  const { packages } = JSON.parse(readFileSync(inProject('package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([, { dev, optional, devOptional }]) => dev || optional || devOptional)
    .map(([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`);
}

async function debianVersions() {
  const names = trainerLibraries.map(([, packaged]) => packaged);
  const { output } = await runCommand('dpkg-query', ['-W', '-f', '${Package} ${Version}\n', ...names]);
  return Object.fromEntries(
    output
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([packaged, version, ...rest]) => names.includes(packaged) && version && rest.length === 0),
  );
}
