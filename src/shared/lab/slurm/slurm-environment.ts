/** Lines of the `sbatch` script that give the ranks their environment: the cluster's modules, and an Apptainer image. Pure. */
import type { SlurmTarget } from '../where.ts';

/** Where a site, Lmod or Environment Modules says what `module` is; the site's own files may name it anything. */
const moduleFiles = [
  ...[
    '/etc/profile.d/modules.sh',
    '/etc/profile.d/lmod.sh',
    '/usr/share/modules/init/sh',
    '/usr/share/lmod/lmod/init/sh',
  ],
  ...[
    '/etc/profile.d/*lmod*.sh',
    '/etc/profile.d/*modul*.sh',
    '"${MODULESHOME:-/none}/init/sh"',
    '"${LMOD_PKG:-/none}/init/sh"',
  ],
  '/etc/profile',
];

export const moduleLines = (modules: readonly string[]): string[] =>
  modules.length === 0
    ? []
    : [
        '# `module` is a function of login shells.',
        `for init in ${moduleFiles.join(' ')}; do`,
        '  command -v module >/dev/null 2>&1 && break',
        '  [ ! -r "$init" ] || . "$init"',
        'done',
        ...modules.map((name) => `module load ${name} || exit 1`),
        '',
      ];

/** The image's programs in place of the nodes'. */
export const containerLines = ({ image }: SlurmTarget): string[] =>
  image === undefined
    ? []
    : [
        'engine=$(command -v apptainer || command -v singularity) || { echo "neither apptainer nor singularity on $(hostname)" >&2; exit 1; }',
      ];

const quoted = (path: string): string => `'${path.replaceAll("'", String.raw`'\''`)}'`;
/** A comma or a colon ends a path there. */
const canBeBound = (path: string | undefined): path is string =>
  path !== undefined && /^\/[^,:]*$/.test(path);

/**
 * Words before a command of the ranks. Beside the run's folder lies what the commands use: trainer, wheels, data. A home that is a user's
 * own is in a container by itself, another folder is not; GPUs need NVIDIA's driver of the node inside.
 */
export function inContainer(
  { image, folder }: SlurmTarget,
  hasGpus: boolean,
  data: string | undefined,
): string {
  if (image === undefined) return '';
  const binds = ['"${RINGLAB_RUN%/runs/*}"', ...[folder, data].filter(canBeBound).map(quoted)];
  return `"$engine" exec ${hasGpus ? '--nv ' : ''}${binds.map((path) => `--bind ${path} `).join('')}${image} `;
}
