/**
 * The store of trainers on this computer, and which nodes may get them: the one built here, and those built by nodes,
 * each in `<data>/trainers/<fingerprint>/<machine>/` as `ringlab-train`, with its origin in `origin.json`.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { RinglabError } from '../../../shared/base/errors.ts';
import { replaceFile } from '../../store/index.ts';
import { hashFile } from '../../transfer/index.ts';
import type { BundleStore } from '../bundle/contract.ts';
import { upstreamVersion } from '../node/hardware-facts.ts';
import { mayRun, originOf, TrainerOrigin, type Runner } from '../node/trainer-origin.ts';
import { fingerprintOf, libtorchLine, TrainerFacts } from './trainer-version.ts';
import { phrase } from '../../i18n/index.ts';

export interface ShelvedTrainer {
  readonly path: string;
  readonly sha256: string;
  /** Undefined for the one that came with the app or was built beside it. */
  readonly origin: TrainerOrigin | undefined;
}

export interface TrainerShelf {
  /** A suitable trainer that may run on this node. */
  find(fingerprint: string, runner: Runner): Promise<ShelvedTrainer | undefined>;
  /** This computer's own, for commands that need no libtorch; undefined where its processor is another. */
  plain(arch: string): Promise<ShelvedTrainer | undefined>;
  /** Suitable trainers that may not run on this node, for the log. */
  withheld(fingerprint: string, runner: Runner): Promise<TrainerOrigin[]>;
  /** Stores a trainer that this node has built: `fetch` writes it to the given path. */
  keep(fingerprint: string, runner: Runner, fetch: (path: string) => Promise<void>): Promise<ShelvedTrainer>;
}

/** Runs the binary on this machine; undefined where it does not exist or does not run. */
export type DescribeBinary = (path: string) => Promise<Description | undefined>;

interface Description {
  readonly facts: TrainerFacts;
  /** The glibc of the system that built it, which may be another computer's, and this computer's, where it runs. */
  readonly glibc: readonly string[];
}

const run = promisify(execFile);
const binary = 'ringlab-train';
/** A folder whose trainer is not complete yet. */
const arriving = '.part-';
/** A trainer with its symbols is a tenth of it. */
const maxBytes = 256 * 1024 ** 2;
/** Maximum for a fingerprint; the oldest are dropped first. */
const maxKept = 32;

const KeptAs = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), origin: TrainerOrigin });

export const describeBinary: DescribeBinary = async (path) => {
  try {
    const result = await run(path, ['facts'], { timeout: 30_000, encoding: 'utf8' });
    const facts = TrainerFacts.safeParse(JSON.parse(result.stdout));
    if (!facts.success) return undefined;
    const here = await run('getconf', ['GNU_LIBC_VERSION'], { timeout: 10_000, encoding: 'utf8' });
    // scripts/setup/native.mjs writes it, and packages hold it.
    const noted = (await readFile(`${path}.glibc`, 'utf8').catch(() => '')).trim();
    const glibc = [here.stdout.trim().replace(/^glibc\s+/, ''), ...(/^\d+\.\d+$/.test(noted) ? [noted] : [])];
    return { facts: facts.data, glibc };
  } catch {
    // Not built yet, built for another system, or a library is missing: nodes then build their own.
    return undefined;
  }
};

/** This computer's own trainer. */
type Described = ShelvedTrainer & { readonly fingerprints: readonly string[]; readonly arch: string };

export function createTrainerShelf(options: {
  folder: string;
  prebuilt: string | undefined;
  describe?: DescribeBinary;
  now?: () => number;
  /** A bundle, which may contain trainers of other computers. */
  bundle?: Pick<BundleStore, 'read' | 'path'>;
}): TrainerShelf {
  const { folder, prebuilt, bundle, describe = describeBinary, now = Date.now } = options;
  let described: { stamp: string; trainer: Promise<Described | undefined> } | undefined;

  const describePrebuilt = async (path: string): Promise<Described | undefined> => {
    const [result, sha256] = await Promise.all([describe(path), hashFile(path)]);
    if (result === undefined) return undefined;
    const { arch, libtorch, cuda, abi, source_hash: sourceHash } = result.facts;
    const make = {
      arch,
      libtorch: libtorchLine(upstreamVersion(libtorch)),
      cuda: cuda ?? undefined,
      abi,
      sourceHash,
    };
    const fingerprints = result.glibc.map((glibc) => fingerprintOf({ ...make, glibc }));
    return { path, sha256, origin: undefined, fingerprints, arch };
  };

  const here = async (): Promise<Described | undefined> => {
    if (prebuilt === undefined) return undefined;
    const file = await stat(prebuilt).catch(() => undefined);
    if (file?.isFile() !== true) return undefined;
    const stamp = `${file.size} ${file.mtimeMs} ${file.ino}`;
    if (described?.stamp !== stamp) described = { stamp, trainer: describePrebuilt(prebuilt) };
    return described.trainer;
  };

  /** The stored trainers of a fingerprint. Those without an origin are from an earlier version and ignored. */
  const keptOf = async (fingerprint: string): Promise<(ShelvedTrainer & { origin: TrainerOrigin })[]> => {
    const found: (ShelvedTrainer & { origin: TrainerOrigin })[] = [];
    for (const machine of await readdir(join(folder, fingerprint)).catch(() => [])) {
      if (machine.startsWith(arriving)) continue;
      const place = join(folder, fingerprint, machine);
      const text = await readFile(join(place, 'origin.json'), 'utf8').catch(() => undefined);
      const kept = text === undefined ? undefined : parseKept(text);
      if (kept === undefined || kept.origin.machine !== machine)
        await rm(place, { recursive: true, force: true });
      else found.push({ path: join(place, binary), ...kept });
    }
    return found.toSorted((a, b) => b.origin.at - a.origin.at);
  };

  /** Verifies the stored hash; a damaged one is deleted. */
  const isWhole = async ({ path, sha256 }: ShelvedTrainer): Promise<boolean> =>
    (await hashFile(path).catch(() => undefined)) === sha256;

  const kept = async (fingerprint: string, runner: Runner): Promise<ShelvedTrainer | undefined> => {
    for (const one of await keptOf(fingerprint)) {
      if (!mayRun(one.origin, runner)) continue;
      if (await isWhole(one)) return one;
      await rm(join(one.path, '..'), { recursive: true, force: true });
    }
    return undefined;
  };

  const bundledOf = async (fingerprint: string): Promise<(ShelvedTrainer & { origin: TrainerOrigin })[]> => {
    const index = await bundle?.read();
    if (bundle === undefined || index === undefined) return [];
    return index.trainers
      .filter((one) => one.fingerprint === fingerprint)
      .map(({ sha256, origin }) => ({ path: bundle.path(sha256), sha256, origin }));
  };

  const bundled = async (fingerprint: string, runner: Runner): Promise<ShelvedTrainer | undefined> => {
    for (const one of await bundledOf(fingerprint))
      if (mayRun(one.origin, runner) && (await isWhole(one))) return one;
    return undefined;
  };

  return {
    async find(fingerprint, runner) {
      const own = await here();
      if (own?.fingerprints.includes(fingerprint) === true) return own;
      return (await kept(fingerprint, runner)) ?? bundled(fingerprint, runner);
    },
    async plain(arch) {
      const own = await here();
      return own?.arch === arch ? own : undefined;
    },
    async withheld(fingerprint, runner) {
      const all = [...(await keptOf(fingerprint)), ...(await bundledOf(fingerprint))];
      return all.map(({ origin }) => origin).filter((origin) => !mayRun(origin, runner));
    },
    async keep(fingerprint, runner, fetch) {
      const origin = originOf(runner, now());
      // Another host key at the same address is another machine: the old one's builds are no longer valid.
      for (const older of await keptOf(fingerprint))
        if (older.origin.place === origin.place && older.origin.machine !== origin.machine)
          await rm(join(older.path, '..'), { recursive: true, force: true });
      const place = join(folder, fingerprint, origin.machine);
      await mkdir(join(folder, fingerprint), { recursive: true });
      const part = await mkdtemp(join(folder, fingerprint, arriving));
      let sha256: string;
      try {
        await fetch(join(part, binary));
        const { size } = await stat(join(part, binary));
        if (size > maxBytes)
          throw new RinglabError('transfer_failed', {
            path: binary,
            reason: phrase('reasons.hasBytes', { size }),
          });
        sha256 = await hashFile(join(part, binary));
        await replaceFile(join(part, 'origin.json'), `${JSON.stringify({ sha256, origin }, null, 2)}\n`);
        await rm(place, { recursive: true, force: true });
        await rename(part, place);
      } catch (error) {
        await rm(part, { recursive: true, force: true });
        throw error;
      }
      for (const old of (await keptOf(fingerprint)).slice(maxKept))
        await rm(join(old.path, '..'), { recursive: true, force: true });
      return { path: join(place, binary), sha256, origin };
    },
  };
}

function parseKept(text: string): z.infer<typeof KeptAs> | undefined {
  try {
    return KeptAs.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
