/** How much of a script's folder is sent: found from names and sizes, before anything is read. */
import { join } from 'node:path';
import type { CodeSize } from '../../shared/run/code-size.ts';
import { placeOf } from './git.ts';
import { largestParts, listFiles, sumOf } from './list-files.ts';

/** The folder as the user wrote it; `~` is the user's home folder. */
export function ownFolder(written: string, home: string): string {
  const path = written.trim();
  return path === '~' || /^~[/\\]/.test(path) ? join(home, path.slice(1)) : path;
}

/** Throws code_too_large, code_link_outside, file_unreadable, or the signal's reason. */
export async function measureCode(folder: string, signal?: AbortSignal): Promise<CodeSize> {
  const files = await listFiles(folder, await placeOf(folder, signal), signal);
  return { files: files.length, bytes: sumOf(files), largest: largestParts(files) };
}
