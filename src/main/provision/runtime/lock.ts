/**
 * A lab's lock: the exact packages of its conda environment, for each kind of node, stored in
 * `<data>/locks/<lab>.json`. Paths do not include the channel's address, so that every mirror can be used.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { createSerialQueue } from '../../base/serial-queue.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { hashText } from '../../transfer/index.ts';
import { compareVersions } from '../node/versions.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Conda's rules for names, versions and builds: no spaces, quotes or line breaks. */
const Name = z
  .string()
  .max(100)
  .regex(/^[a-z0-9_][a-z0-9_.-]*$/);
const Version = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.+!-]*$/);
const Build = z
  .string()
  .max(150)
  .regex(/^[A-Za-z0-9_.+-]*$/);
const printable = /^[\x20-\x7e]*$/;

const Fields = z.object({
  name: Name,
  version: Version,
  build: Build,
  /** `linux-64/libtorch-2.4.1-cpu_generic_h4b3d9a1_0.conda`: path below the channel's address. */
  file: z
    .string()
    .max(400)
    .regex(/^(?:noarch|[a-z]{2,10}-[a-z0-9_]{2,12})\/[A-Za-z0-9_][A-Za-z0-9_.+!=-]*\.(?:conda|tar\.bz2)$/),
  size: z
    .number()
    .int()
    .nonnegative()
    .max(64 * 1024 ** 3)
    .optional(),
  sha256: Sha256,
  depends: z.array(z.string().max(300).regex(printable)).max(500),
  /** Only needed to build the trainer. */
  tools: z.boolean(),
});
/** Conda derives file names from name, version and build: a mismatch is another package. */
export const LockedPackage = Fields.refine(
  ({ name, version, build, file }) =>
    file.slice(file.indexOf('/') + 1).replace(/\.(?:conda|tar\.bz2)$/, '') === `${name}-${version}-${build}`,
  { path: ['file'] },
);
export type LockedPackage = z.infer<typeof LockedPackage>;

/** A build of libtorch in the channel, and the oldest glibc that it supports. */
export const LibtorchBuild = z.object({
  version: Version,
  build: Build,
  glibc: z.string().max(20).optional(),
});
export type LibtorchBuild = z.infer<typeof LibtorchBuild>;
export const maxBuilds = 1000;

export const Lock = z.object({
  /** Unix seconds. */
  solvedAt: z.number(),
  /** `linux-64`. */
  platform: z.string().regex(/^[a-z]{2,10}-[a-z0-9_]{2,12}$/),
  /** The CUDA level of the driver that it was solved for; undefined for the CPU. */
  cuda: z
    .string()
    .regex(/^[\d.]{1,10}$/)
    .optional(),
  channel: z
    .string()
    .max(2000)
    .regex(/^(?:https?|file):\/\/[\x21-\x7e]+$/),
  packages: z.array(LockedPackage).min(1).max(3000),
  builds: z.array(LibtorchBuild).max(maxBuilds),
});
export type Lock = z.infer<typeof Lock>;

const LockFile = z.object({
  format: z.literal('ringlab-lock'),
  version: z.literal(1),
  /** Each is validated separately: one that no longer validates is solved again. */
  locks: z.record(z.string(), z.unknown()),
});

/** The kind of a node: nodes with the same make share a lock. */
export interface NodeMake {
  readonly platform: string;
  readonly cuda: string | undefined;
}
const keyOf = ({ platform, cuda }: NodeMake): string => `${platform} ${cuda ?? 'cpu'}`;

export const lockHash = (lock: Lock): string =>
  hashText(JSON.stringify(lock.packages.map(({ file, sha256 }) => [file, sha256]))).slice(0, 12);

/** `__glibc >=2.17,<3.0.a0` → 2.17 */
export const glibcNeeded = (
  packages: readonly { readonly depends: readonly string[] }[],
): string | undefined =>
  packages
    .flatMap(({ depends }) => depends.flatMap((line) => /^__glibc >=([\d.]+)/.exec(line)?.[1] ?? []))
    .sort(compareVersions)
    .at(-1);

/** Input of micromamba: a list of exact packages. */
export const explicitList = (packages: readonly LockedPackage[], channel: string): string =>
  ['@EXPLICIT', ...packages.map(({ file, sha256 }) => `${channel}/${file}#sha256:${sha256}`), ''].join('\n');

export interface LockBook {
  get(labId: string, make: NodeMake): Promise<Lock | undefined>;
  put(labId: string, make: NodeMake, lock: Lock): Promise<void>;
  path(labId: string): string;
}

/** @param folder on this computer */
export function createLockBook(folder: string): LockBook {
  const path = (labId: string): string => join(folder, `${labId}.json`);
  const read = async (labId: string): Promise<z.infer<typeof LockFile>> => {
    const text = await readFile(path(labId), 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return { format: 'ringlab-lock', version: 1, locks: {} };
    try {
      return LockFile.parse(JSON.parse(text));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new RinglabError(
        'file_unreadable',
        { path: path(labId), reason },
        { where: path(labId), cause: error },
      );
    }
  };
  // Serialised: two kinds of nodes may be solved at the same time.
  const inTurn = createSerialQueue();
  return {
    path,
    get: async (labId, make) => Lock.safeParse((await read(labId)).locks[keyOf(make)]).data,
    put(labId, make, unchecked) {
      const lock = Lock.parse(unchecked);
      return inTurn(async () => {
        const file = await read(labId);
        await mkdir(dirname(path(labId)), { recursive: true });
        const text = JSON.stringify({ ...file, locks: { ...file.locks, [keyOf(make)]: lock } }, null, 1);
        await writeFile(`${path(labId)}.part`, `${text}\n`);
        await rename(`${path(labId)}.part`, path(labId));
      });
    },
  };
}
