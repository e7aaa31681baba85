/** Examines this machine for `ringlab doctor` and the window's help. Read-only. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { plain, type Phrase } from '../../shared/base/phrase.ts';
import type { DoctorItem, DoctorPart } from '../../shared/contract/api.ts';
import type { Paths } from '../base/platform.ts';
import { keptSize } from '../code/index.ts';
import { phrase } from '../i18n/index.ts';

const execute = promisify(execFile);

/** First line of a program's standard output, or undefined where it cannot be run. */
async function firstLine(program: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await execute(program, [...args], { timeout: 20_000, maxBuffer: 1024 * 1024 });
    return (stdout.trim() === '' ? stderr : stdout).trim().split('\n')[0] ?? '';
  } catch {
    return undefined;
  }
}

/** dpkg also knows packages that are not installed, if another one names them: those have no version. */
async function debianVersion(name: string, packaged: string): Promise<string | undefined> {
  const version = await firstLine('dpkg-query', ['-W', '-f', '${Version}', packaged]);
  return version === undefined || version === '' ? undefined : `${name} ${version}`;
}

/** The folder, or its nearest existing parent, in which it would be created. */
async function writablePlace(folder: string): Promise<string | undefined> {
  let place = folder;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  return access(place, constants.W_OK).then(
    () => folder,
    () => undefined,
  );
}

interface Check {
  readonly id: DoctorPart;
  readonly required: boolean;
  readonly remedy: Phrase;
  look(): Promise<Phrase | string | undefined>;
}

const apt = (packages: string): Phrase => plain(`sudo apt-get install -y ${packages}`);

/** `checkout`: the project folder, whose set-up builds a trainer where there is apt. */
export interface Place {
  readonly checkout: boolean;
  readonly apt: boolean;
}

const thisPlace = (paths: Paths): Place => ({
  checkout: existsSync(join(dirname(paths.nativeSource), 'scripts', 'setup.mjs')),
  apt: existsSync('/usr/bin/apt-get'),
});

function checks(paths: Paths, place: Place): Check[] {
  // Elsewhere nothing is missing: machines reached by SSH have their own, and so do local nodes of an installed package.
  const required = place.checkout && place.apt;
  const local = (remedy: Phrase): Pick<Check, 'required' | 'remedy'> => ({
    required,
    remedy: required ? remedy : phrase('doctor.localNodes'),
  });
  const isNode24 = Number(process.versions.node.split('.')[0]) >= 24;
  return [
    {
      id: 'node',
      required: true,
      remedy: phrase('doctor.node'),
      look: () => Promise.resolve(isNode24 ? `Node ${process.versions.node}` : undefined),
    },
    {
      id: 'data-folder',
      required: true,
      remedy: phrase('doctor.dataFolder', { path: paths.data }),
      look: () => writablePlace(paths.data),
    },
    {
      id: 'trainer',
      ...local(plain('npm run setup')),
      look: async () =>
        paths.trainerBinary === undefined ? undefined : await firstLine(paths.trainerBinary, ['--version']),
    },
    {
      id: 'libtorch',
      ...local(apt('libtorch-dev')),
      look: () => debianVersion('libtorch', 'libtorch-dev'),
    },
    { id: 'compiler', ...local(apt('g++')), look: () => firstLine('c++', ['--version']) },
    { id: 'cmake', ...local(apt('cmake')), look: () => firstLine('cmake', ['--version']) },
    {
      id: 'ninja',
      ...local(apt('ninja-build')),
      look: async () => {
        const version = await firstLine('ninja', ['--version']);
        return version === undefined ? undefined : `ninja ${version}`;
      },
    },
    {
      id: 'openssh',
      required: false,
      remedy: place.apt ? apt('openssh-client') : phrase('doctor.openssh'),
      look: () => firstLine('ssh', ['-V']),
    },
    {
      id: 'python-torch',
      required: false,
      remedy: place.apt ? apt('python3-torch python3-torchvision') : phrase('doctor.localNodes'),
      look: () => debianVersion('python3-torch', 'python3-torch'),
    },
    {
      id: 'kept-code',
      required: false,
      remedy: plain(''),
      look: async () => {
        const { versions, bytes } = await keptSize(join(paths.data, 'code'));
        return phrase('doctor.keptCode', { count: versions, bytes });
      },
    },
    {
      id: 'nvidia',
      required: false,
      remedy: phrase('doctor.nvidia'),
      look: () => firstLine('nvidia-smi', ['--query-gpu=name,driver_version', '--format=csv,noheader']),
    },
  ];
}

export async function examine(paths: Paths, place = thisPlace(paths)): Promise<DoctorItem[]> {
  return Promise.all(
    checks(paths, place).map(async ({ id, required, remedy, look }) => {
      const found = await look();
      return {
        id,
        required,
        ok: found !== undefined,
        found: typeof found === 'object' ? found : plain(found ?? ''),
        remedy: found === undefined ? remedy : plain(''),
      };
    }),
  );
}
