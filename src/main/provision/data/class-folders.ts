/** What an ImageFolder of this computer holds beside images: class folders without any, and files that are not sent. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface FolderContent {
  /** Such as `train/cat`, with images or without. Hidden folders, which other programs make, are left out. */
  readonly classes: readonly string[];
  /** How many files there are, hidden ones and those of Windows' own left out; and the path of one that is no image. */
  readonly others: number;
  readonly first?: string;
}

/** Of a path below the root: hidden or in a hidden folder, or Windows' own. */
const ofSystem = /\/\.|\/(thumbs\.db|desktop\.ini)$/i;

/** Follows symbolic links as `readFolder` does, which has read the folder before and says what cannot be read. */
export async function contentOf(root: string, images: RegExp, signal?: AbortSignal): Promise<FolderContent> {
  const classes: string[] = [];
  let others = 0;
  let first: string | undefined;
  const walk = async (relative: string, above: ReadonlySet<string>): Promise<void> => {
    signal?.throwIfAborted();
    const here = join(root, relative);
    const real = await realpath(here);
    // A symbolic link to a parent folder would never end.
    if (above.has(real)) return;
    const entries = await readdir(here, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = `${relative}/${entry.name}`;
      const linked = entry.isSymbolicLink() ? await stat(join(root, path)).catch(() => undefined) : entry;
      if (linked?.isDirectory() === true) {
        if (above.size === 0 && !ofSystem.test(path)) classes.push(path);
        await walk(path, new Set([...above, real]));
      } else if (linked?.isFile() === true && !images.test(entry.name) && !ofSystem.test(path)) {
        others += 1;
        first ??= path;
      }
    }
  };
  for (const part of ['train', 'val']) await walk(part, new Set());
  return { classes, others, ...(first === undefined ? {} : { first }) };
}
