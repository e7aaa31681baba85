/**
 * The trainers that this computer can hand out: the one built here, and those that nodes have built, kept under
 * `<data>/trainers/<fingerprint>/` as `ringlab-train` with its hash in `ringlab-train.sha256`.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hashFile } from '../transfer/index.ts';
import type { BundleStore } from './bundle/store.ts';
import { upstreamVersion } from './facts.ts';
import { fingerprintOf, libtorchLine, TrainerFacts } from './trainer-version.ts';

export interface ShelvedTrainer {
  readonly path: string;
  readonly sha256: string;
  /** 'this computer', 'kept from a node' or 'from the bundle', for the log. */
  readonly origin: string;
}

export interface TrainerShelf {
  find(fingerprint: string): Promise<ShelvedTrainer | undefined>;
  /** Keeps a trainer: `fetch` writes it to the path that it is given. */
  keep(fingerprint: string, fetch: (path: string) => Promise<void>): Promise<ShelvedTrainer>;
}

/** Asks the binary and this machine; undefined where there is none or it does not run. */
export type DescribeBinary = (path: string) => Promise<{ facts: TrainerFacts; glibc: string } | undefined>;

const run = promisify(execFile);

export const describeBinary: DescribeBinary = async (path) => {
  try {
    const said = await run(path, ['facts'], { timeout: 30_000, encoding: 'utf8' });
    const facts = TrainerFacts.safeParse(JSON.parse(said.stdout));
    if (!facts.success) return undefined;
    const glibc = await run('getconf', ['GNU_LIBC_VERSION'], { timeout: 10_000, encoding: 'utf8' });
    return { facts: facts.data, glibc: glibc.stdout.trim().replace(/^glibc\s+/, '') };
  } catch {
    // Not built yet, built for another system, its libraries gone: nodes then build their own.
    return undefined;
  }
};

export function createTrainerShelf(options: {
  folder: string;
  prebuilt: string | undefined;
  describe?: DescribeBinary;
  /** May hold trainers that another computer kept. */
  bundle?: Pick<BundleStore, 'read' | 'path'>;
}): TrainerShelf {
  const { folder, prebuilt, bundle, describe = describeBinary } = options;
  let described:
    { stamp: string; trainer: Promise<(ShelvedTrainer & { fingerprint: string }) | undefined> } | undefined;

  const describePrebuilt = async (
    path: string,
  ): Promise<(ShelvedTrainer & { fingerprint: string }) | undefined> => {
    const [said, sha256] = await Promise.all([describe(path), hashFile(path)]);
    if (said === undefined) return undefined;
    const { arch, libtorch, cuda, abi, source_hash: sourceHash } = said.facts;
    const make = {
      arch,
      libtorch: libtorchLine(upstreamVersion(libtorch)),
      cuda: cuda ?? undefined,
      abi,
      glibc: said.glibc,
      sourceHash,
    };
    return { path, sha256, origin: 'this computer', fingerprint: fingerprintOf(make) };
  };

  const here = async (): Promise<(ShelvedTrainer & { fingerprint: string }) | undefined> => {
    if (prebuilt === undefined) return undefined;
    const file = await stat(prebuilt).catch(() => undefined);
    if (file?.isFile() !== true) return undefined;
    const stamp = `${file.size} ${file.mtimeMs} ${file.ino}`;
    if (described?.stamp !== stamp) described = { stamp, trainer: describePrebuilt(prebuilt) };
    return described.trainer;
  };

  const kept = async (fingerprint: string): Promise<ShelvedTrainer | undefined> => {
    const path = join(folder, fingerprint, 'ringlab-train');
    const promised = await readFile(`${path}.sha256`, 'utf8').catch(() => undefined);
    if (promised === undefined) return undefined;
    const sha256 = await hashFile(path).catch(() => undefined);
    if (sha256 === promised.trim()) return { path, sha256, origin: 'kept from a node' };
    await rm(join(folder, fingerprint), { recursive: true, force: true });
    return undefined;
  };

  const bundled = async (fingerprint: string): Promise<ShelvedTrainer | undefined> => {
    const sha256 = (await bundle?.read())?.trainers[fingerprint];
    if (bundle === undefined || sha256 === undefined) return undefined;
    const path = bundle.path(sha256);
    const found = await hashFile(path).catch(() => undefined);
    return found === sha256 ? { path, sha256, origin: 'from the bundle' } : undefined;
  };

  return {
    async find(fingerprint) {
      const own = await here();
      if (own?.fingerprint === fingerprint) return own;
      return (await kept(fingerprint)) ?? bundled(fingerprint);
    },
    async keep(fingerprint, fetch) {
      const path = join(folder, fingerprint, 'ringlab-train');
      await mkdir(join(folder, fingerprint), { recursive: true });
      await fetch(path);
      const sha256 = await hashFile(path);
      await writeFile(`${path}.sha256.part`, `${sha256}\n`);
      await rename(`${path}.sha256.part`, `${path}.sha256`);
      return { path, sha256, origin: 'kept from a node' };
    },
  };
}
