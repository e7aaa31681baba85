/**
 * What nodes without internet need, prepared beforehand: a folder with `bundle.json` and `objects/<SHA-256>`, named after
 * their content. Bundles are joined by copying what is missing.
 */
import { createHash, randomUUID } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { RinglabError } from '../../../shared/base/errors.ts';
import { downloadFile, hashFile, type ReachRule } from '../../transfer/index.ts';
import { TrainerOrigin } from '../node/trainer-origin.ts';
import { provenPart } from './proof.ts';
import { createKeyring, type Keyring } from './signed-release.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const AptPackage = z.object({
  name: z.string().max(200),
  version: z.string().max(200),
  sha256: Sha256,
  size: z.number().int().nonnegative(),
});

/** Where the packages are listed: the distribution's signed InRelease, and a list that it names, both kept as objects. */
const AptList = z.object({
  uri: z.string().max(600),
  suite: z.string().max(100),
  path: z.string().max(200),
  release: Sha256,
  packages: Sha256,
});
export type AptList = z.infer<typeof AptList>;

/** All that a fresh node of this distribution needs for some packages, itself included. */
const AptPart = z.object({
  /** `debian 12`. */
  system: z.string(),
  arch: z.string(),
  lists: z.array(AptList).min(1),
  packages: z.array(AptPackage).min(1),
});
export type AptPart = z.infer<typeof AptPart>;

const BundledTrainer = z.object({ fingerprint: z.string().max(64), sha256: Sha256, origin: TrainerOrigin });
type BundledTrainer = z.infer<typeof BundledTrainer>;

const Index = z.object({
  format: z.literal('ringlab-bundle'),
  version: z.literal(2),
  apt: z.array(AptPart),
  /** By path below a channel: `linux-64/zlib-1.3.1-0.conda`. */
  conda: z.record(z.string(), Sha256),
  /** By conda's name of the platform. */
  micromamba: z.record(z.string(), Sha256),
  /** Before it was noted who built them they stood here by fingerprint: those are never sent. */
  trainers: z.union([z.array(BundledTrainer).max(1000), z.record(z.string(), Sha256).transform(() => [])]),
});
export type BundleIndex = z.infer<typeof Index>;

/** The first version kept what a node had said of packages, without a signature: those are fetched anew. */
const Earlier = Index.extend({ version: z.literal(1), apt: z.unknown() }).transform((index): BundleIndex => ({
  ...index,
  version: 2,
  apt: [],
}));
const AnyIndex = z.union([Index, Earlier]);

export interface Wanted {
  readonly url: string;
  readonly sha256: string;
  /** Bytes, where they are known; no more are taken. */
  readonly size?: number | undefined;
}

export interface JoinOptions {
  readonly programs: boolean;
  readonly now?: () => number;
}
export interface Joined {
  readonly objects: number;
  readonly bytes: number;
  /** Programs that were left where they are. */
  readonly programsLeft: number;
}

export interface BundleStore {
  readonly folder: string;
  /** Whose signatures count. */
  readonly keyring: Keyring;
  /** An empty one where there is none yet. */
  read(): Promise<BundleIndex>;
  /** One change after another; the file is whole at every moment. */
  change(edit: (index: BundleIndex) => BundleIndex): Promise<void>;
  /** Where an object lies on this computer. */
  path(sha256: string): string;
  /** Downloads what is not here yet, going on where an earlier attempt stopped. Returns its SHA-256 and what was fetched. */
  fetch(wanted: Wanted, signal: AbortSignal): Promise<{ sha256: string; fetched: number }>;
  /** A file whose hash nobody knows beforehand: what it says of itself is the caller's to verify. */
  fetchSmall(url: string, most: number, signal: AbortSignal): Promise<{ bytes: Uint8Array; sha256: string }>;
  /** A file of this computer as an object. */
  keep(file: string): Promise<string>;
  /**
   * Everything of another bundle that is missing here; its programs (trainers, micromamba) only where the user wants
   * them: nothing but the bundle's own word says who made them.
   * @throws hash_mismatch for a damaged object, archive_refused for packages that no distribution has signed
   */
  join(other: BundleStore, options: JoinOptions): Promise<Joined>;
}

export const emptyIndex: BundleIndex = {
  format: 'ringlab-bundle',
  version: 2,
  apt: [],
  conda: {},
  micromamba: {},
  trainers: [],
};
const sameKind = (a: AptPart, b: AptPart): boolean => a.system === b.system && a.arch === b.arch;
const sameTrainer = (a: BundledTrainer, b: BundledTrainer): boolean =>
  a.fingerprint === b.fingerprint && a.origin.machine === b.origin.machine;
/** What the second knows of a kind of node replaces what the first knew. */
export const joined = (a: BundleIndex, b: BundleIndex): BundleIndex => ({
  ...a,
  apt: [...a.apt.filter((one) => !b.apt.some((other) => sameKind(one, other))), ...b.apt],
  conda: { ...a.conda, ...b.conda },
  micromamba: { ...a.micromamba, ...b.micromamba },
  trainers: [
    ...a.trainers.filter((one) => !b.trainers.some((other) => sameTrainer(one, other))),
    ...b.trainers,
  ],
});
const objectsOf = (index: BundleIndex): string[] => [
  ...new Set([
    ...index.apt.flatMap(({ packages, lists }) => [
      ...packages.map(({ sha256 }) => sha256),
      ...lists.flatMap((list) => [list.release, list.packages]),
    ]),
    ...index.trainers.map(({ sha256 }) => sha256),
    ...[index.conda, index.micromamba].flatMap((one) => Object.values(one)),
  ]),
];

/** Whatever a bundle from elsewhere says of who built it: it came with the bundle. */
const broughtAt =
  (now: number) =>
  (one: BundledTrainer): BundledTrainer => ({
    ...one,
    origin: {
      by: 'bundle',
      machine: `bundle-${one.sha256.slice(0, 32)}`,
      place: '',
      name: '',
      at: now / 1000,
    },
  });

const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    () => undefined,
  );

/** A package of a distribution or of a channel; libtorch with CUDA has 1.5 GB. */
const mostBytes = 8 * 1024 ** 3;

export interface BundleStoreOptions {
  /** Nobody's signature counts unless told. */
  readonly keyring?: Keyring;
  /** Which addresses are asked; what `fetchable` says unless told. */
  readonly allows?: ReachRule | undefined;
}

export function createBundleStore(
  folder: string,
  { keyring = createKeyring([]), allows }: BundleStoreOptions = {},
): BundleStore {
  const how = allows === undefined ? {} : { allows };
  const file = join(folder, 'bundle.json');
  const path = (sha256: string): string => join(folder, 'objects', sha256);
  const read: BundleStore['read'] = async () => {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return emptyIndex;
    try {
      return AnyIndex.parse(JSON.parse(text));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new RinglabError('file_unreadable', { path: file, reason }, { where: file, cause: error });
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  const change: BundleStore['change'] = (edit) => {
    const mine = last.then(async () => {
      const next = edit(await read());
      await mkdir(folder, { recursive: true });
      await writeFile(`${file}.part`, `${JSON.stringify(next)}\n`);
      await rename(`${file}.part`, file);
    });
    last = mine.catch(() => undefined);
    return mine;
  };
  /** Under its name only when its hash is right. */
  const take = async (part: string, { url, sha256: expected }: Wanted): Promise<string> => {
    const sha256 = await hashFile(part);
    if (sha256 !== expected) {
      await rm(part, { force: true });
      throw new RinglabError('hash_mismatch', { path: url });
    }
    await rename(part, path(sha256));
    return sha256;
  };
  return {
    folder,
    keyring,
    read,
    change,
    path,
    async fetch(wanted, signal) {
      const { sha256, url, size } = wanted;
      if ((await sizeOf(path(sha256))) !== undefined) return { sha256, fetched: 0 };
      const part = `${path(sha256)}.part`;
      await mkdir(join(folder, 'objects'), { recursive: true });
      const have = (await sizeOf(part)) ?? 0;
      const most = size ?? mostBytes;
      await downloadFile(url, part, { ...how, have, most, exact: size !== undefined }, signal);
      const fetched = Math.max(0, ((await sizeOf(part)) ?? 0) - have);
      return { sha256: await take(part, wanted), fetched };
    },
    async fetchSmall(url, most, signal) {
      await mkdir(join(folder, 'objects'), { recursive: true });
      const part = join(folder, 'objects', `${randomUUID()}.part`);
      try {
        await downloadFile(url, part, { ...how, most }, signal);
        const bytes = await readFile(part);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        await take(part, { url, sha256 });
        return { bytes, sha256 };
      } finally {
        await rm(part, { force: true });
      }
    },
    async keep(from) {
      await mkdir(join(folder, 'objects'), { recursive: true });
      const sha256 = await hashFile(from);
      if ((await sizeOf(path(sha256))) !== undefined) return sha256;
      await copyFile(from, `${path(sha256)}.part`);
      return take(`${path(sha256)}.part`, { url: from, sha256 });
    },
    async join(other, { programs, now = Date.now }) {
      const theirs = await other.read();
      const index = programs
        ? { ...theirs, trainers: theirs.trainers.map(broughtAt(now())) }
        : { ...theirs, trainers: [], micromamba: {} };
      const programsLeft = programs ? 0 : theirs.trainers.length + Object.keys(theirs.micromamba).length;
      let [objects, bytes] = [0, 0];
      await mkdir(join(folder, 'objects'), { recursive: true });
      for (const sha256 of objectsOf(index)) {
        if ((await sizeOf(path(sha256))) !== undefined) continue;
        const part = `${path(sha256)}.part`;
        await copyFile(other.path(sha256), part);
        await take(part, { url: other.path(sha256), sha256 });
        objects += 1;
        bytes += (await sizeOf(path(sha256))) ?? 0;
      }
      // From the objects that have just been compared with their names.
      for (const part of index.apt) await provenPart({ path, keyring }, part);
      await change((mine) => joined(mine, index));
      return { objects, bytes, programsLeft };
    },
  };
}
