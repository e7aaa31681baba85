/**
 * What nodes without internet need, prepared beforehand: a folder with `bundle.json` and `objects/<SHA-256>`, named after
 * their content. Bundles are joined by copying what is missing.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { RinglabError } from '../../../shared/errors.ts';
import { downloadFile, hashFile } from '../../transfer/index.ts';
import { TrainerOrigin } from '../trainer-origin.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const AptPackage = z.object({
  /** Its paragraph in the distribution's list of packages, without `Filename`. */
  stanza: z.string(),
  sha256: Sha256,
  size: z.number().nonnegative(),
});
export type AptPackage = z.infer<typeof AptPackage>;

/** All that a fresh node of this distribution needs for some packages, itself included. */
const AptPart = z.object({
  /** `debian 12`. */
  system: z.string(),
  arch: z.string(),
  packages: z.array(AptPackage).min(1),
});
export type AptPart = z.infer<typeof AptPart>;

const BundledTrainer = z.object({ fingerprint: z.string().max(64), sha256: Sha256, origin: TrainerOrigin });
type BundledTrainer = z.infer<typeof BundledTrainer>;

const Index = z.object({
  format: z.literal('ringlab-bundle'),
  version: z.literal(1),
  apt: z.array(AptPart),
  /** By path below a channel: `linux-64/zlib-1.3.1-0.conda`. */
  conda: z.record(z.string(), Sha256),
  /** By conda's name of the platform. */
  micromamba: z.record(z.string(), Sha256),
  /** Before it was noted who built them they stood here by fingerprint: those are handed to nobody. */
  trainers: z.union([z.array(BundledTrainer).max(1000), z.record(z.string(), Sha256).transform(() => [])]),
});
export type BundleIndex = z.infer<typeof Index>;

export interface Wanted {
  readonly url: string;
  readonly sha256?: string | undefined;
  /** Only where the channel tells no SHA-256. */
  readonly md5?: string | undefined;
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
  /** An empty one where there is none yet. */
  read(): Promise<BundleIndex>;
  /** One change after another; the file is whole at every moment. */
  change(edit: (index: BundleIndex) => BundleIndex): Promise<void>;
  /** Where an object lies on this computer. */
  path(sha256: string): string;
  /** Downloads what is not here yet, going on where an earlier attempt stopped. Returns its SHA-256 and what was fetched. */
  fetch(wanted: Wanted, signal: AbortSignal): Promise<{ sha256: string; fetched: number }>;
  /** A file of this computer as an object. */
  keep(file: string): Promise<string>;
  /**
   * Everything of another bundle that is missing here; its programs (trainers, micromamba) only where the user wants
   * them: nothing but the bundle's own word says who made them. Throws hash_mismatch for a damaged object.
   */
  join(other: BundleStore, options: JoinOptions): Promise<Joined>;
}

export const emptyIndex: BundleIndex = {
  format: 'ringlab-bundle',
  version: 1,
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
    ...index.apt.flatMap(({ packages }) => packages.map(({ sha256 }) => sha256)),
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

export function createBundleStore(folder: string): BundleStore {
  const file = join(folder, 'bundle.json');
  const path = (sha256: string): string => join(folder, 'objects', sha256);
  const read: BundleStore['read'] = async () => {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return emptyIndex;
    try {
      return Index.parse(JSON.parse(text));
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
  const take = async (part: string, { url, sha256: expected, md5 }: Wanted): Promise<string> => {
    const sha256 = await hashFile(part);
    const right = expected === undefined ? (await md5Of(part)) === md5 : sha256 === expected;
    if (!right) {
      await rm(part, { force: true });
      throw new RinglabError('hash_mismatch', { path: url });
    }
    await rename(part, path(sha256));
    return sha256;
  };
  return {
    folder,
    read,
    change,
    path,
    async fetch(wanted, signal) {
      const { sha256, md5, url } = wanted;
      const name = sha256 ?? md5;
      if (name === undefined) throw new RinglabError('hash_mismatch', { path: url });
      if (sha256 !== undefined && (await sizeOf(path(sha256))) !== undefined) return { sha256, fetched: 0 };
      const part = `${path(name)}.part`;
      await mkdir(join(folder, 'objects'), { recursive: true });
      const before = (await sizeOf(part)) ?? 0;
      await downloadFile(url, part, before, signal);
      const fetched = Math.max(0, ((await sizeOf(part)) ?? 0) - before);
      return { sha256: await take(part, wanted), fetched };
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
      await change((mine) => joined(mine, index));
      return { objects, bytes, programsLeft };
    },
  };
}

async function md5Of(file: string): Promise<string> {
  const hash = createHash('md5');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
