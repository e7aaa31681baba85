/**
 * Brings uv to a node: the pinned static binary from uv's own wheel, which this computer downloads once from a package
 * index and sends. uv installs PyTorch's wheels into virtual environments (wheels.ts).
 */
import { randomUUID } from 'node:crypto';
import { chmod, copyFile, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { uvProgram } from '../../../base/node-layout.ts';
import { createOnce } from '../../../base/once.ts';
import { reasonOf, WordedError } from '../../../base/reason.ts';
import { readZipEntries, readZipEntry } from '../../../base/zip.ts';
import { RinglabError } from '../../../../shared/base/errors.ts';
import { pythonIndexes } from '../../../../shared/lab/runtime.ts';
import { shownAddress } from '../../../../shared/base/shown-address.ts';
import type { Line } from '../../../../shared/base/phrase.ts';
import { phrase } from '../../../i18n/index.ts';
import { shellQuote } from '../../../ssh/index.ts';
import { downloadFile, hashFile, type ReachRule } from '../../../transfer/index.ts';
import { known, type StepContext } from '../../engine/step.ts';
import type { BundleStore } from '../../bundle/contract.ts';
import { fileOnPage, maxPage, pageOf } from './index-page.ts';

export const uvVersion = '0.13.9';

interface UvBuild {
  /** The wheel's file name on every index. */
  readonly wheel: string;
  readonly wheelBytes: number;
  readonly wheelSha256: string;
  /** SHA-256 of the program in it. */
  readonly sha256: string;
}

/** By what `uname -m` says: the statically linked builds (musl), which run on any Linux. */
const builds: Readonly<Record<string, UvBuild>> = {
  x86_64: {
    wheel: `uv-${uvVersion}-py3-none-musllinux_1_1_x86_64.whl`,
    wheelBytes: 19_295_638,
    wheelSha256: '2c45530751517d6c3bbc69a19473f6effe47cce047bede01ffd8af7ea7b36b25',
    sha256: 'edbfb9a3d00dc84148e6691cd8740781fdc32db6505d7ef88ba6c3e569d5bec9',
  },
  aarch64: {
    wheel: `uv-${uvVersion}-py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64.whl`,
    wheelBytes: 18_026_789,
    wheelSha256: '5435c5ce14a56431208ca0996416d310f1598e8c2c8ba707688985a16bb82dbe',
    sha256: 'bbecb5ac518030bb5e84f1999c577228460192832ac24a92bd772735682979f4',
  },
};

/** The architectures for which PyPI has wheels of uv and of PyTorch alike. */
export const wheelArchitectures: readonly string[] = Object.keys(builds);

const maxProgram = 200 * 1024 ** 2;

export interface UvKeeper {
  /** Where it is kept on this computer. */
  place(arch: string): string;
  /**
   * Path of uv on this computer, downloaded where it is not yet here.
   * @throws uv_missing
   */
  get(arch: string, indexes: readonly string[], log: (line: Line) => void): Promise<string>;
  /** The same from a file that may be it, as a bundle has one; undefined where it is another program. */
  take(arch: string, file: string): Promise<string | undefined>;
}

interface UvKeeperOptions {
  readonly allows?: ReachRule;
  /** Indexes that are asked where none of the experiment's has it; default: PyPI and its mirrors. */
  readonly fallback?: readonly string[];
}

/** @param folder of this computer; a binary that the user puts there is used if it is the right one */
export function createUvKeeper(folder: string, options: UvKeeperOptions = {}): UvKeeper {
  const { fallback = pythonIndexes } = options;
  const once = createOnce<string>(() => true);
  const place = (arch: string): string => join(folder, uvVersion, arch, 'uv');
  const how = options.allows === undefined ? {} : { allows: options.allows };
  // Nodes share the download: one that is cancelled does not end it for the others.
  const { signal } = new AbortController();

  const fetchFrom = async (index: string, { wheel, wheelBytes, wheelSha256 }: UvBuild, part: string) => {
    await rm(part, { force: true });
    const address = pageOf(index, 'uv');
    await downloadFile(address, part, { ...how, max: maxPage }, signal);
    const page = await readFile(part, 'utf8');
    await rm(part, { force: true });
    const url = fileOnPage(page, wheel, address)?.url;
    if (url === undefined)
      throw new RinglabError('download_failed', {
        url: shownAddress(address),
        reason: phrase('reasons.wheel.absent', { wheel }),
      });
    await downloadFile(url, part, { ...how, max: wheelBytes, exact: true }, signal);
    if ((await hashFile(part)) !== wheelSha256)
      throw new RinglabError('hash_mismatch', { path: shownAddress(url) });
    const program = await readFromWheel(part, `uv-${uvVersion}.data/scripts/uv`);
    await rm(part, { force: true });
    return program;
  };

  const bring = async (
    arch: string,
    build: UvBuild,
    indexes: readonly string[],
    log: (line: Line) => void,
  ): Promise<string> => {
    const path = place(arch);
    await mkdir(dirname(path), { recursive: true });
    let reason: Line = '';
    // An index of PyTorch's builds alone has no uv; its hash is pinned, wherever it comes from.
    for (const index of new Set([...indexes, ...fallback])) {
      try {
        const program = await fetchFrom(index, build, `${path}.part`);
        await writeFile(`${path}.part`, program, { mode: 0o755 });
        if ((await hashFile(`${path}.part`)) !== build.sha256)
          throw new RinglabError('hash_mismatch', { path });
        await rename(`${path}.part`, path);
        log(phrase('stepLog.uvKept', { version: uvVersion, arch, index: shownAddress(index), path }));
        return path;
      } catch (error) {
        await rm(`${path}.part`, { force: true });
        reason = reasonOf(error);
        log(phrase('stepLog.uvFailed', { index: shownAddress(index), reason }));
      }
    }
    throw new RinglabError('uv_missing', { arch, kept: path, reason });
  };

  return {
    place,
    async get(arch, indexes, log) {
      const build = builds[arch];
      if (build === undefined) throw new RinglabError('uv_missing', { arch, kept: place(arch), reason: '' });
      const path = place(arch);
      if ((await hashFile(path).catch(() => undefined)) === build.sha256) return path;
      return once(arch, () => bring(arch, build, indexes, log));
    },
    async take(arch, file) {
      const wanted = builds[arch]?.sha256;
      if (wanted === undefined || (await hashFile(file).catch(() => undefined)) !== wanted) return undefined;
      const part = `${place(arch)}.${randomUUID()}.part`;
      await mkdir(dirname(part), { recursive: true });
      await copyFile(file, part);
      await chmod(part, 0o755);
      await rename(part, place(arch));
      return place(arch);
    },
  };
}

/** Its path on the node. A local node is this computer, and runs the one that is kept here. */
export const uvPath = ({ node, work }: StepContext, keeper: UvKeeper): string => {
  const { home, arch } = known(work, 'facts');
  return node.access.type === 'local' ? keeper.place(arch) : uvProgram(home, uvVersion);
};

/** Whether the node has exactly this uv. */
export async function hasUv(context: StepContext, keeper: UvKeeper): Promise<boolean> {
  const { shell, work } = context;
  const wanted = builds[known(work, 'facts').arch]?.sha256;
  const { stdout } = await shell.exec(`sha256sum < ${shellQuote(uvPath(context, keeper))} 2>/dev/null`, {
    label: phrase('nodeCommands.uv'),
    quiet: true,
  });
  return wanted !== undefined && stdout.startsWith(wanted);
}

/**
 * Its path on the node; sent where it is not there yet.
 * @throws uv_missing
 */
export async function ensureUv(
  context: StepContext,
  keeper: UvKeeper,
  indexes: readonly string[],
): Promise<string> {
  const { shell, status, work } = context;
  const { arch } = known(work, 'facts');
  const path = uvPath(context, keeper);
  if (await hasUv(context, keeper)) return path;
  const kept =
    (await bundledUv(context.bundle, keeper, arch)) ??
    (await keeper.get(arch, indexes, (line) => status.log.add(line)));
  if (kept !== path) await shell.upload({ path: kept }, path, { mode: 0o755 });
  return path;
}

/** From the bundle, where this computer has none of its own yet. */
async function bundledUv(
  bundle: Pick<BundleStore, 'read' | 'path'> | undefined,
  keeper: UvKeeper,
  arch: string,
): Promise<string | undefined> {
  const sha256 = (await bundle?.read())?.uv[arch];
  return bundle === undefined || sha256 === undefined ? undefined : keeper.take(arch, bundle.path(sha256));
}

/** The content of a file in a wheel. */
async function readFromWheel(path: string, name: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const entry = (await readZipEntries(file)).find((one) => one.name === name);
    if (entry === undefined) throw new WordedError(phrase('reasons.wheel.without', { name }));
    return await readZipEntry(file, entry, maxProgram);
  } catch (error) {
    throw new RinglabError('file_unreadable', { path, reason: reasonOf(error) }, { cause: error });
  } finally {
    await file.close();
  }
}
