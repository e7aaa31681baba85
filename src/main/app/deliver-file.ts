/** Delivers a file that the window created, by the host's way: save dialog, download or copy. */
import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { RinglabError } from '../../shared/base/errors.ts';
import type { Delivery } from '../../shared/contract/api.ts';
import type { Platform } from '../base/platform.ts';
import { reasonOf } from '../base/reason.ts';

export interface Deliverer {
  readonly paths: Pick<Platform['paths'], 'data'>;
  readonly deliver: Platform['deliver'];
}

/** @throws local_disk_full, file_unwritable, and what the host's way throws */
export async function deliverFile(
  { paths, deliver }: Deliverer,
  name: string,
  base64: string,
  write: (path: string, bytes: Buffer) => Promise<void> = writeFile,
): Promise<Delivery> {
  const folder = join(paths.data, 'exports', randomUUID());
  const path = join(folder, 'file');
  let isFetched = false;
  try {
    await mkdir(folder, { recursive: true }).catch(unwritable(path));
    await write(path, Buffer.from(base64, 'base64')).catch(unwritable(path));
    const delivery = await deliver({ path, name: basename(name) });
    isFetched = delivery.savedTo === undefined;
    return delivery;
  } finally {
    // A browser fetches it later; the next start removes it.
    if (!isFetched) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

const unwritable =
  (path: string) =>
  (error: unknown): never => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    throw code === 'ENOSPC' || code === 'EDQUOT'
      ? new RinglabError('local_disk_full', { path }, { cause: error })
      : new RinglabError('file_unwritable', { path, reason: reasonOf(error) }, { cause: error });
  };

/** 'Three nodes-report.html' for a run of that name: valid in every file system. */
export const nameAfter = (name: string, file: string): string => {
  const safe = name
    .trim()
    .replace(/[\\/:*?"<>|\p{Cc}]+/gu, '-')
    .slice(0, 100);
  return safe === '' ? file : `${safe}-${file}`;
};
