/** Parses the facts about NVIDIA's driver, and about other users of the machine. */
import type { NodeFacts, NvidiaFacts } from '../../../shared/node/provision.ts';
import { compareVersions } from './versions.ts';

const mebibyte = 1024 * 1024;
/** A plausible maximum. */
const maxBytes = 2 ** 60;

/** What the facts have as nvidia-smi's words where it had to be left behind. */
export const noAnswer = 'nvidia-smi does not answer';

/** All values of a key, in order. */
type Values = (key: string) => string[];

/** Undefined on a node without an NVIDIA GPU. */
export function nvidiaFacts(all: Values): NvidiaFacts | undefined {
  if (!has(all, 'nvidia')) return undefined;
  const [output] = all('nvidia_said');
  const [loaded] = all('driver');
  const repository = all('nvidia_repository').slice(0, 2).join(' / ');
  return {
    works: has(all, 'nvidia_works'),
    ...(output === undefined ? {} : { said: output.slice(0, 2000) }),
    ...(loaded === undefined ? {} : { loaded }),
    nouveau: has(all, 'nouveau'),
    secureBoot: has(all, 'secure_boot'),
    headers: has(all, 'headers'),
    sources: all('nvidia_source'),
    dkms: all('dkms'),
    packages: all('nvidia_package'),
    ...(repository === '' ? {} : { repository }),
  };
}

/** The first driver of each major CUDA version, from NVIDIA's CUDA release notes, 'CUDA minor version compatibility'. */
const firstDrivers: readonly (readonly [driver: string, cuda: string])[] = [
  ['580.65', '13.0'],
  ['525.60', '12.0'],
  ['450.80', '11.0'],
  ['410.48', '10.0'],
  ['384.81', '9.0'],
  ['367.48', '8.0'],
];

/** What CUDA a driver runs at least. */
export const cudaOfDriver = (driver: string | undefined): string | undefined =>
  driver === undefined ? undefined : firstDrivers.find(([first]) => compareVersions(driver, first) >= 0)?.[1];

/**
 * The lowest of all control groups around the script. `max 100000` and `max` mean unlimited; `150000 100000` means one and a
 * half cores.
 * @param machineBytes its memory: a limit above it is none
 */
export function limitsOf(all: Values, machineBytes: number): NodeFacts['limits'] {
  const cpus = lowest(
    all('cgroup_cpu').flatMap((line) => {
      const [quota = Number.NaN, period = Number.NaN] = line.split(' ').map(Number);
      return quota > 0 && period > 0 && quota <= maxBytes ? [quota / period] : [];
    }),
  );
  const memoryBytes = lowest(
    all('cgroup_memory')
      .map(Number)
      .filter((bytes) => bytes > 0 && bytes <= maxBytes && bytes < (machineBytes || Infinity)),
  );
  if (cpus === undefined && memoryBytes === undefined) return undefined;
  return { ...(cpus === undefined ? {} : { cpus }), ...(memoryBytes === undefined ? {} : { memoryBytes }) };
}

const lowest = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : Math.min(...values);

/** `2711 anna 8120`: pid, user, MiB. A process in another namespace has no user. */
export const gpuProcesses = (all: Values): NodeFacts['gpuProcesses'] =>
  all('gpu_process').flatMap((line) => {
    const words = line.split(/\s+/);
    const pid = Number(words[0]);
    const mebibytes = Number(words.at(-1));
    if (!Number.isSafeInteger(pid) || pid <= 0) return [];
    return [
      {
        pid,
        user: words.length > 2 ? (words[1] ?? '') : '',
        memoryBytes: mebibytes >= 0 && mebibytes * mebibyte <= maxBytes ? mebibytes * mebibyte : 0,
      },
    ];
  });

const has = (all: Values, key: string): boolean => all(key)[0] === 'yes';
