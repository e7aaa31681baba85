/** The schema of a bundle's `bundle.json`. */
import * as z from 'zod';
import { TrainerOrigin } from '../node/trainer-origin.ts';

/** As PEP 508 and 440 have them. */
export const packageName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;
export const packageVersion = /^[A-Za-z0-9][A-Za-z0-9.!+_-]{0,99}$/;
export const wheelFile = /^[A-Za-z0-9][A-Za-z0-9._+!-]{0,299}\.whl$/;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const AptPackage = z.object({
  name: z.string().max(200),
  version: z.string().max(200),
  sha256: Sha256,
  size: z.number().int().nonnegative(),
});

/** A package list: the distribution's signed InRelease, and the list that it refers to, both stored as objects. */
const AptList = z.object({
  uri: z.string().max(600),
  suite: z.string().max(100),
  path: z.string().max(200),
  release: Sha256,
  packages: Sha256,
});
export type AptList = z.infer<typeof AptList>;

/** All packages, including dependencies, that a fresh node of this distribution needs. */
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

/** As an index names it: `torch-2.9.1+cpu-cp311-cp311-manylinux_2_28_x86_64.whl`. */
const BundledWheel = z.object({
  name: z.string().regex(packageName),
  version: z.string().regex(packageVersion),
  file: z.string().regex(wheelFile),
  sha256: Sha256,
  size: z.number().int().nonnegative(),
});
export type BundledWheel = z.infer<typeof BundledWheel>;

/** A virtual environment of wheels: all packages of one content, for one architecture. */
const WheelsPart = z.object({
  arch: z.string().max(40),
  /** The content's hash: the name of the environment's folder on a node. */
  content: z.string().regex(/^[0-9a-f]{16}$/),
  /** `3.11`: the wheels are for this Python alone. */
  python: z.string().regex(/^3\.\d{1,2}$/),
  wheels: z.array(BundledWheel).min(1).max(2000),
});
export type WheelsPart = z.infer<typeof WheelsPart>;

const Index = z.object({
  format: z.literal('ringlab-bundle'),
  version: z.literal(2),
  apt: z.array(AptPart),
  /** By path below a channel: `linux-64/zlib-1.3.1-0.conda`. */
  conda: z.record(z.string(), Sha256),
  /** By conda's name of the platform. */
  micromamba: z.record(z.string(), Sha256),
  /** Earlier versions stored trainers by fingerprint without their origin: those are never sent. */
  trainers: z.union([z.array(BundledTrainer).max(1000), z.record(z.string(), Sha256).transform(() => [])]),
  wheels: z.array(WheelsPart).max(1000).default([]),
  /** By what `uname -m` says. */
  uv: z.record(z.string(), Sha256).default({}),
  /** Archives of uv's Pythons, by path below a mirror. */
  pythons: z.record(z.string(), Sha256).default({}),
});
export type BundleIndex = z.infer<typeof Index>;

/** The first version stored what a node had reported of packages, without a signature: those are fetched again. */
const Earlier = Index.extend({ version: z.literal(1), apt: z.unknown() }).transform((index): BundleIndex => ({
  ...index,
  version: 2,
  apt: [],
}));
export const AnyIndex = z.union([Index, Earlier]);

/**
 * Names of the packages that a fresh node of this kind needs, as reported by a node. Hashes and addresses come only
 * from signed lists.
 */
export interface AptClosure {
  /**
   * The sources of its apt's lists: `http://deb.example.org/debian/`, `bookworm`, `main/binary-amd64/Packages`. In a
   * flat archive the suite is empty or ends with a slash, and the path is `Packages`.
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
  wheels: [],
  uv: {},
  pythons: {},
};
export const sameKind = (a: AptPart, b: AptPart): boolean => a.system === b.system && a.arch === b.arch;
const sameTrainer = (a: BundledTrainer, b: BundledTrainer): boolean =>
  a.fingerprint === b.fingerprint && a.origin.machine === b.origin.machine;
const sameContent = (a: WheelsPart, b: WheelsPart): boolean => a.content === b.content && a.arch === b.arch;
/** Entries of the second bundle replace those of the first for the same kind of node; `joinParts` keeps packages of both. */
export const joined = (a: BundleIndex, b: BundleIndex): BundleIndex => ({
  ...a,
  apt: [...a.apt.filter((one) => !b.apt.some((other) => sameKind(one, other))), ...b.apt],
  conda: { ...a.conda, ...b.conda },
  micromamba: { ...a.micromamba, ...b.micromamba },
  trainers: [
    ...a.trainers.filter((one) => !b.trainers.some((other) => sameTrainer(one, other))),
    ...b.trainers,
  ],
  wheels: [...a.wheels.filter((one) => !b.wheels.some((other) => sameContent(one, other))), ...b.wheels],
  uv: { ...a.uv, ...b.uv },
  pythons: { ...a.pythons, ...b.pythons },
});
/** SHA-256 of every object in the index. */
export const objectsOf = (index: BundleIndex): string[] => [
  ...new Set([
    ...index.apt.flatMap(({ packages, lists }) => [
      ...packages.map(({ sha256 }) => sha256),
      ...lists.flatMap((list) => [list.release, list.packages]),
    ]),
    ...index.trainers.map(({ sha256 }) => sha256),
    ...index.wheels.flatMap(({ wheels }) => wheels.map(({ sha256 }) => sha256)),
    ...[index.conda, index.micromamba, index.uv, index.pythons].flatMap((one) => Object.values(one)),
  ]),
];

/** The origin of imported trainers is the import, whatever the other bundle claims. */
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
