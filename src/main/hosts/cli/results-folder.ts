/** Keeps a folder of results out of the code of later runs, where it lies in the script's own folder. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import { ownFolder } from '../../code/index.ts';

/** A folder that has files already is left as it is: they may be the script's own. One that cannot be written is reported where results come into it. */
export async function keepOutOfCode({ experiment: { script } }: LabDocument, out: string): Promise<void> {
  if (script?.source.type !== 'folder') return;
  const inside = relative(resolve(ownFolder(script.source.path, homedir())), out);
  if (inside === '' || isAbsolute(inside) || /^\.\.(?:[/\\]|$)/.test(inside)) return;
  try {
    // It was made when the run began, hours ago.
    await mkdir(out, { recursive: true });
    if ((await readdir(out)).length === 0) await writeFile(join(out, '.ringlabignore'), '*\n');
  } catch {
    // Results must not be lost for want of it.
  }
}
