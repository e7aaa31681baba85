/** What a bundle holds: the schema of its `bundle.json`. */
import { z } from 'zod';
import { TrainerOrigin } from '../node/trainer-origin.ts';

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
export const AnyIndex = z.union([Index, Earlier]);

/** What a node says that a fresh one of its kind needs: names alone. Hashes and addresses of files come from what is signed. */
export interface AptClosure {
  /**
   * Where its apt has its lists from: `http://deb.example.org/debian/`, `bookworm`, `main/binary-amd64/Packages`. Of a flat
   * archive the suite is empty or ends with a slash, and the path is `Packages`.
   */
  readonly lists: readonly { readonly uri: string; readonly suite: string; readonly path: string }[];
  readonly packages: readonly { readonly name: string; readonly version: string }[];
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
/** SHA-256 of everything that the index names. */
export const objectsOf = (index: BundleIndex): string[] => [
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
export const broughtAt =
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
