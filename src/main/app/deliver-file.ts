/** Delivers a file that the window created, by the host's way: save dialog, download or copy. */
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Delivery } from '../../shared/contract/api.ts';
import type { Platform } from '../base/platform.ts';

export async function deliverFile(platform: Platform, name: string, base64: string): Promise<Delivery> {
  const folder = join(platform.paths.data, 'exports', randomUUID());
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'file');
  await writeFile(path, Buffer.from(base64, 'base64'));
  return platform.deliver({ path, name: basename(name) });
}

/** 'Three nodes-report.html' for a run of that name: valid in every file system. */
export const nameAfter = (name: string, file: string): string => {
  const safe = name
    .trim()
    .replace(/[\\/:*?"<>|\p{Cc}]+/gu, '-')
    .slice(0, 100);
  return safe === '' ? file : `${safe}-${file}`;
};
