/** Parses the facts about GPUs, addresses and libtorch. */
import { isIP } from 'node:net';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { Libtorch } from './libtorch.ts';

/** Plausible maxima: 1 EiB in KiB, a hundred thousand cores. */
export const maxKibibytes = 2 ** 50;

/** `1.13.1+dfsg-4`, `2.1.0+cpu` → `1.13.1`, `2.1.0`: the form in which the trainer reports its libtorch. */
export const upstreamVersion = (version: string): string => /^\d+(\.\d+)*/.exec(version)?.[0] ?? version;

/** `2.1.0+cu121` → 12.1; `2.4.1-cuda120_h2b0da52_303` → 12.0 */
export function cudaInName(version: string): string | undefined {
  const digits = /\+cu(\d+)/.exec(version)?.[1] ?? /-cuda(\d+)/.exec(version)?.[1];
  return digits === undefined ? undefined : `${digits.slice(0, -1)}.${digits.slice(-1)}`;
}

export function findLibtorch(
  packages: readonly string[],
  folders: readonly string[],
  files: readonly string[],
): Libtorch | undefined {
  for (const line of packages) {
    const [name, version] = line.split(' ');
    if (version !== undefined && /^libtorch[\d.]+(?:t64)?(:\w+)?$/.test(name ?? '')) {
      return { version: upstreamVersion(version), abi: 'cxx11' };
    }
  }
  const folder = folders.find((line) => /^\d[\w.+-]* [\w-]+ \/./.test(line));
  if (folder !== undefined) {
    const [version = '', abi, ...path] = folder.split(' ');
    const cuda = cudaInName(version);
    return {
      version: upstreamVersion(version),
      prefix: path.join(' '),
      abi: abi === 'pre-cxx11' ? 'pre-cxx11' : 'cxx11',
      ...(cuda === undefined ? {} : { cuda }),
    };
  }
  const version = /libtorch\.so\.([\d.]+)$/.exec(files[0] ?? '')?.[1];
  return version === undefined ? undefined : { version, abi: 'cxx11' };
}

type FoundGpu = Omit<NodeFacts['gpus'][number], 'index'>;
/** With what CUDA_VISIBLE_DEVICES may name it by. */
interface NamedGpu {
  readonly gpu: FoundGpu;
  readonly index?: string | undefined;
  readonly uuid?: string | undefined;
}

/**
 * `0, NVIDIA GeForce RTX 3080, 10240, 00000000:01:00.0, 535.183.01, GPU-8932f937-…`; memory in MiB
 * @param capability `7.5`
 */
export function parseSmi(row: string, capability = ''): NamedGpu[] {
  const [index, name, memory, pciId, , uuid] = row.split(', ');
  if (name === undefined) return [];
  const mebibytes = Number(memory);
  const gpu = {
    name,
    ...(mebibytes >= 0 && mebibytes <= maxKibibytes ? { memoryBytes: mebibytes * 1024 * 1024 } : {}),
    ...(pciId === undefined ? {} : { pciId }),
    ...(/^\d{1,2}\.\d$/.test(capability) ? { capability: Number(capability) } : {}),
  };
  return [{ gpu, index, uuid }];
}

/**
 * Those that CUDA gives a program where the account's environment names some. Where it names none that is there, all: trying
 * them says so, and nothing trains on the CPU by itself.
 * @param names CUDA_VISIBLE_DEVICES: `0,3`, or the beginnings of UUIDs; CUDA ends at the first that it does not know
 */
export function visibleGpus(found: readonly NamedGpu[], names: string | undefined): FoundGpu[] {
  const all = found.map(({ gpu }) => gpu);
  if (names === undefined) return all;
  const visible: FoundGpu[] = [];
  for (const name of names.split(',').map((one) => one.trim())) {
    const one = found.find(({ index, uuid }) =>
      name.startsWith('GPU-') ? uuid?.startsWith(name) : index === name,
    );
    if (one === undefined || visible.includes(one.gpu)) break;
    visible.push(one.gpu);
  }
  return visible.length === 0 ? all : visible;
}

/** `0000:01:00.0 0x2206`: on the bus, but without a driver that could report more. */
export function parsePci(row: string): NamedGpu {
  const [pciId, model] = row.split(' ');
  return { gpu: { name: `NVIDIA ${model ?? ''}`.trim(), ...(pciId === undefined ? {} : { pciId }) } };
}

/** `eth0 10.0.0.2/24`; `- 10.0.0.2` where the interface is unknown */
export function parseAddress(row: string): NodeFacts['addresses'] {
  const [name, address] = row.split(' ');
  const plain = address?.split('/')[0];
  // Peers connect to it.
  if (name === undefined || plain === undefined || isIP(plain) === 0) return [];
  return [{ interface: /^[\w.:@-]{1,64}$/.test(name) && name !== '-' ? name : '', address: plain }];
}
