/**
 * The lock of a lab: the exact packages of its conda environment, for each kind of node, kept in
 * `<data>/locks/<lab>.json`. Packages are named without their channel's address, so that every mirror serves them.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { RinglabError } from '../../../shared/errors.ts';
import { hashText } from '../../transfer/index.ts';
import { compareVersions } from '../trainer-version.ts';

const Hash = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));

export const LockedPackage = z.object({
  name: z.string().min(1),
  version: z.string(),
  build: z.string(),
  /** `linux-64/libtorch-2.4.1-cpu_generic_h4b3d9a1_0.conda`: below the channel's address. */
  file: z.string().regex(/^[\w-]+\/[^/\s#]+$/),
  size: z.number().nonnegative().optional(),
  sha256: Hash(64).optional(),
  md5: Hash(32).optional(),
  depends: z.array(z.string()),
  /** Only needed to build the trainer. */
  tools: z.boolean(),
});
export type LockedPackage = z.infer<typeof LockedPackage>;

/** A build of libtorch that the channel has, and the oldest glibc that it runs on. */
const Build = z.object({ version: z.string(), build: z.string(), glibc: z.string().optional() });
export type LibtorchBuild = z.infer<typeof Build>;

export const Lock = z.object({
  /** Unix seconds. */
  solvedAt: z.number(),
  /** `linux-64`. */
  platform: z.string(),
  /** The level of the driver that it was solved for; undefined for the CPU. */
  cuda: z.string().optional(),
  channel: z.string(),
  packages: z.array(LockedPackage).min(1),
  builds: z.array(Build),
});
export type Lock = z.infer<typeof Lock>;

const LockFile = z.object({
  format: z.literal('ringlab-lock'),
  version: z.literal(1),
  locks: z.record(z.string(), Lock),
});

/** Nodes of one kind share a lock. */
export interface NodeMake {
  readonly platform: string;
  readonly cuda: string | undefined;
}
const keyOf = ({ platform, cuda }: NodeMake): string => `${platform} ${cuda ?? 'cpu'}`;

export const lockHash = (lock: Lock): string =>
  hashText(JSON.stringify(lock.packages.map(({ file, sha256, md5 }) => [file, sha256 ?? md5]))).slice(0, 12);

/** `__glibc >=2.17,<3.0.a0` → 2.17 */
export const glibcNeeded = (
  packages: readonly { readonly depends: readonly string[] }[],
): string | undefined =>
  packages
    .flatMap(({ depends }) => depends.flatMap((line) => /^__glibc >=([\d.]+)/.exec(line)?.[1] ?? []))
    .sort(compareVersions)
    .at(-1);

/** What micromamba takes as a list of exact packages. */
export const explicitList = (packages: readonly LockedPackage[], channel: string): string =>
  [
    '@EXPLICIT',
    ...packages.map(({ file, md5, sha256 }) => `${channel}/${file}#${md5 ?? `sha256:${sha256 ?? ''}`}`),
    '',
  ].join('\n');

export interface LockBook {
  get(labId: string, make: NodeMake): Promise<Lock | undefined>;
  put(labId: string, make: NodeMake, lock: Lock): Promise<void>;
  path(labId: string): string;
}

/** @param folder of this computer */
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
  // One after another: two kinds of nodes may be solved at the same time.
  let last: Promise<unknown> = Promise.resolve();
  return {
    path,
    get: async (labId, make) => (await read(labId)).locks[keyOf(make)],
    put(labId, make, lock) {
      const mine = last.then(async () => {
        const file = await read(labId);
        await mkdir(dirname(path(labId)), { recursive: true });
        const text = JSON.stringify({ ...file, locks: { ...file.locks, [keyOf(make)]: lock } }, null, 1);
        await writeFile(`${path(labId)}.part`, `${text}\n`);
        await rename(`${path(labId)}.part`, path(labId));
      });
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}
