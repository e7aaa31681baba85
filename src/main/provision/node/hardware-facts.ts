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

/** `0, NVIDIA GeForce RTX 3080, 10240, 00000000:01:00.0, 535.183.01`; memory in MiB */
export function parseSmi(row: string): FoundGpu[] {
  const [, name, memory, pciId] = row.split(', ');
  if (name === undefined) return [];
  const mebibytes = Number(memory);
  return [
    {
      name,
      ...(mebibytes >= 0 && mebibytes <= maxKibibytes ? { memoryBytes: mebibytes * 1024 * 1024 } : {}),
      ...(pciId === undefined ? {} : { pciId }),
    },
  ];
}

/** `7.5`, in the order of the GPUs. */
export function parseCapability(row: string): number | undefined {
  return /^\d{1,2}\.\d$/.test(row) ? Number(row) : undefined;
}

/** `0000:01:00.0 0x2206`: on the bus, but without a driver that could report more. */
export function parsePci(row: string): FoundGpu {
  const [pciId, model] = row.split(' ');
  return { name: `NVIDIA ${model ?? ''}`.trim(), ...(pciId === undefined ? {} : { pciId }) };
}

/** `eth0 10.0.0.2/24`; `- 10.0.0.2` where the interface is unknown */
export function parseAddress(row: string): NodeFacts['addresses'] {
  const [name, address] = row.split(' ');
  const plain = address?.split('/')[0];
  // Peers connect to it.
  if (name === undefined || plain === undefined || isIP(plain) === 0) return [];
  return [{ interface: /^[\w.:@-]{1,64}$/.test(name) && name !== '-' ? name : '', address: plain }];
}
