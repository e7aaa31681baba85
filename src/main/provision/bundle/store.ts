/**
 * Stores what nodes without internet need: a folder with `bundle.json` and content-addressed files
 * `objects/<SHA-256>`. Bundles are merged by copying what is missing.
 */
import { createHash, randomUUID } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSerialQueue } from '../../base/serial-queue.ts';
import { phrase } from '../../i18n/index.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { shownAddress } from '../../../shared/base/shown-address.ts';
import { downloadFile, hashFile, type ReachRule } from '../../transfer/index.ts';
import type { BundleStore, Wanted } from './contract.ts';
import { AnyIndex, broughtAt, emptyIndex, joined, objectsOf, type BundleIndex } from './index-file.ts';
import { joinParts } from './join-parts.ts';
import { provenPart } from './proof.ts';
import { createKeyring, type Keyring } from './signed-release.ts';

const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    () => undefined,
  );

/** Maximum size of a package; libtorch with CUDA has 1.5 GB. */
const maxBytes = 8 * 1024 ** 3;

export interface BundleStoreOptions {
  /** By default no signature is accepted. */
  readonly keyring?: Keyring;
  /** Which addresses may be contacted; default: `fetchable`. */
  readonly allows?: ReachRule | undefined;
}

export function createBundleStore(
  folder: string,
  { keyring = createKeyring([]), allows }: BundleStoreOptions = {},
): BundleStore {
  const how = allows === undefined ? {} : { allows };
  const file = join(folder, 'bundle.json');
  const path = (sha256: string): string => join(folder, 'objects', sha256);
  /** Undefined where there is none yet. */
  const readFound = async (): Promise<BundleIndex | undefined> => {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return undefined;
    try {
      return AnyIndex.parse(JSON.parse(text));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new RinglabError('file_unreadable', { path: file, reason }, { where: file, cause: error });
    }
  };
  const read: BundleStore['read'] = async () => (await readFound()) ?? emptyIndex;
  const inTurn = createSerialQueue();
  const change: BundleStore['change'] = (edit) => {
    return inTurn(async () => {
      const next = await edit(await read());
      await mkdir(folder, { recursive: true });
      await writeFile(`${file}.part`, `${JSON.stringify(next)}\n`);
      await rename(`${file}.part`, file);
    });
  };
  /** Renamed to its final name only if its hash is right. */
  const take = async (part: string, { url, sha256: expected }: Wanted): Promise<string> => {
    const sha256 = await hashFile(part);
    if (sha256 !== expected) {
      await rm(part, { force: true });
      throw new RinglabError('hash_mismatch', { path: shownAddress(url) });
    }
    await rename(part, path(sha256));
    return sha256;
  };
  return {
    folder,
    keyring,
    read,
    async readExisting() {
      const found = await readFound();
      if (found === undefined)
        throw new RinglabError('file_unreadable', { path: file, reason: phrase('reasons.ownFile.absent') });
      return found;
    },
    change,
    path,
    async fetch(wanted, signal) {
      const { sha256, url, size } = wanted;
      if ((await sizeOf(path(sha256))) !== undefined) return { sha256, fetched: 0 };
      const part = `${path(sha256)}.part`;
      await mkdir(join(folder, 'objects'), { recursive: true });
      const have = (await sizeOf(part)) ?? 0;
      const max = size ?? maxBytes;
      await downloadFile(url, part, { ...how, have, max, exact: size !== undefined }, signal);
      const fetched = Math.max(0, ((await sizeOf(part)) ?? 0) - have);
      return { sha256: await take(part, wanted), fetched };
    },
    async fetchSmall(url, max, signal) {
      await mkdir(join(folder, 'objects'), { recursive: true });
      const part = join(folder, 'objects', `${randomUUID()}.part`);
      try {
        await downloadFile(url, part, { ...how, max }, signal);
        const bytes = await readFile(part);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        await take(part, { url, sha256 });
        return { bytes, sha256 };
      } finally {
        await rm(part, { force: true });
      }
    },
    async text(url, max, signal) {
      await mkdir(join(folder, 'objects'), { recursive: true });
      const part = join(folder, 'objects', `${randomUUID()}.part`);
      try {
        await downloadFile(url, part, { ...how, max }, signal);
        return await readFile(part, 'utf8');
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
      const incoming = await other.readExisting();
      const index = programs
        ? { ...incoming, trainers: incoming.trainers.map(broughtAt(now())) }
        : { ...incoming, trainers: [], micromamba: {}, wheels: [] };
      const programsLeft = programs
        ? 0
        : incoming.trainers.length + incoming.wheels.length + Object.keys(incoming.micromamba).length;
      let [objects, bytes] = [0, 0];
      await mkdir(join(folder, 'objects'), { recursive: true });
      for (const sha256 of objectsOf(index)) {
        if ((await sizeOf(path(sha256))) !== undefined) continue;
        const part = `${path(sha256)}.part`;
        const from = other.path(sha256);
        // A copy of a bundle that ended half way.
        if ((await sizeOf(from)) === undefined)
          throw new RinglabError('file_unreadable', { path: from, reason: phrase('reasons.ownFile.absent') });
        await copyFile(from, part);
        await take(part, { url: from, sha256 });
        objects += 1;
        bytes += (await sizeOf(path(sha256))) ?? 0;
      }
      // Verified from the objects whose hashes were just compared.
      for (const part of index.apt) await provenPart({ path, keyring }, part);
      await change(async (current) =>
        joined(current, { ...index, apt: await joinParts({ path, keyring }, current, index) }),
      );
      return { objects, bytes, programsLeft };
    },
  };
}
