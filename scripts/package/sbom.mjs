/**
 * The bill of materials of a package (SBOM, CycloneDX): npm's own list of the program's dependencies, and what npm does not
 * know: Electron, and the libraries that the trainer is linked with on the machine that runs it.
 */
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
 * @param {object} npm the output of `npm sbom`
 * @param {{ name: string, version: string, electron: string, absent: readonly string[], debian: Record<string, string | undefined> }} known
 * `absent`: packages that npm lists but no installer contains, as `name@version`;
 * `debian`: the versions of the Debian packages that the included trainer was built with
 */
export function completeSbom(npm, { name, version, electron, absent, debian }) {
  const own = npm.metadata.component;
  const root = `${name}@${version}`;
  const isThere = (ref) => !absent.includes(ref);
  const added = [
    {
      'bom-ref': `electron@${electron}`,
      type: 'framework',
      name: 'electron',
      version: electron,
      scope: 'required',
      purl: `pkg:npm/electron@${electron}`,
      description: 'With Chromium and Node of its own; the command line and the web host run without it.',
    },
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
  return {
    ...npm,
    // npm uses the name of the folder as the name of the program.
    metadata: { ...npm.metadata, component: { ...own, 'bom-ref': root, type: 'application', name } },
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
}

/** @returns {Promise<object>} */
export async function makeSbom() {
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
    electron: devDependencies.electron,
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
