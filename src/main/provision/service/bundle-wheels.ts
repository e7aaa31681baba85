/**
 * Brings the wheels of an environment, uv and its Python into a bundle. Addresses and hashes of wheels come from the index's own pages,
 * which this computer reads; the node has said names only.
 */
import { stat } from 'node:fs/promises';
import { shownAddress } from '../../../shared/base/shown-address.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { BundledWheel } from '../bundle/index-file.ts';
import { emptyIndex, joined } from '../bundle/index-file.ts';
import type { BundleStore } from '../bundle/contract.ts';
import { known, type StepContext } from '../engine/step.ts';
import {
  fileOnPage,
  maxPage,
  pageOf,
  pythonArchive,
  pythonSources,
  type IndexedFile,
  type SolvedWheel,
  type WheelsSource,
} from '../runtime/index.ts';
import { reasonOf } from '../../base/reason.ts';
import { phrase } from '../../i18n/index.ts';

export interface AddedWheels {
  readonly bytes: number;
  /** `3.11` */
  readonly python: string;
  /** Whether uv's archive of this Python is in the bundle, for nodes that have none. */
  readonly hasPython: boolean;
}

/** Throws what `pack` does, and download_failed, hash_mismatch, mirrors_failed. */
export async function addWheels(
  context: StepContext,
  store: BundleStore,
  source: WheelsSource,
  /** Where uv's Pythons are. */
  pythons: readonly string[] = pythonSources,
): Promise<AddedWheels> {
  const { signal, status } = context;
  const { arch } = known(context.work, 'facts');
  const { content, python, wheels, indexes } = await source.pack(context);
  const find = createFinder(store, indexes, signal);
  const kept: BundledWheel[] = [];
  let bytes = 0;
  for (const [at, wheel] of wheels.entries()) {
    const { url, sha256 } = await find(wheel);
    const { fetched } = await store.fetch({ url, sha256 }, signal);
    const { size } = await stat(store.path(sha256));
    kept.push({ ...wheel, sha256, size });
    bytes += size;
    if (fetched > 0)
      status.log.add(
        phrase('stepLog.fetched', { file: wheel.file, bytes: fetched, host: new URL(url).host }),
      );
    status.progress(at + 1, wheels.length, 'files');
  }
  const uv = await store.keep(await source.uv(context));
  const archive = pythonArchive(python, arch);
  const fromMirrors = async (): Promise<boolean> => {
    if (archive === undefined) return false;
    const path = archive.path.split('/').map(encodeURIComponent).join('/');
    for (const mirror of pythons) {
      try {
        await store.fetch({ url: `${mirror}/${path}`, sha256: archive.sha256 }, signal);
        return true;
      } catch (error) {
        signal.throwIfAborted();
        status.log.add(phrase('stepLog.pythonFailed', { python, mirror, problem: reasonOf(error) }));
      }
    }
    return false;
  };
  const hasPython = await fromMirrors();
  await store.change((index) =>
    joined(index, {
      ...emptyIndex,
      wheels: [{ arch, content, python, wheels: kept }],
      uv: { [arch]: uv },
      pythons: hasPython && archive !== undefined ? { [archive.path]: archive.sha256 } : {},
    }),
  );
  return { bytes, python, hasPython };
}

type Found = IndexedFile & { readonly sha256: string };

/** Finds a wheel on the first index that has it, with its hash; each page is read once. */
function createFinder(
  store: BundleStore,
  indexes: readonly string[],
  signal: AbortSignal,
): (wheel: SolvedWheel) => Promise<Found> {
  const pages = new Map<string, Promise<string>>();
  return async ({ name, file }) => {
    let last: unknown;
    for (const index of indexes) {
      const address = pageOf(index, name);
      const reading = pages.get(address) ?? store.text(address, maxPage, signal);
      pages.set(address, reading);
      try {
        const { url, sha256 } = fileOnPage(await reading, file, address) ?? {};
        if (url !== undefined && sha256 !== undefined) return { url, sha256 };
      } catch (error) {
        signal.throwIfAborted();
        last = error;
      }
    }
    throw last instanceof Error
      ? last
      : new RinglabError(
          'mirrors_failed',
          { mirrors: indexes.map(shownAddress).join(', ') },
          { detail: file },
        );
  };
}
