/**
 * Entry point of the bundled command line. Node compiles the program's files at each start; what it compiled is kept in the data
 * folder, for this version alone.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { faultOfPath, hasOwnFiles, writableByOthers } from '../base/data-place.ts';
import { dataFolder, projectFolder, versionIn } from './cli/paths.ts';

/** `--data`, of Ringlab's own arguments: what follows `--` is a script's. The command line checks them later. */
function namedFolder(): string | undefined {
  const { data } = parseArgs({
    options: { data: { type: 'string' } },
    allowPositionals: true,
    strict: false,
  }).values;
  return typeof data === 'string' ? data : undefined;
}

/** What is kept is executed, and replaced with each version: in a data folder that nobody else can write or exchange. */
async function mayKeepIn(data: string): Promise<boolean> {
  const own = process.getuid?.();
  // Windows does not say who can.
  if (own === undefined) return false;
  const { uid, mode } = await stat(data);
  if (uid !== own || (mode & writableByOthers) !== 0 || !hasOwnFiles(await readdir(data))) return false;
  return (await faultOfPath(data, own)) === undefined;
}

async function keepCompiled(): Promise<void> {
  const data = dataFolder(namedFolder());
  if (!(await mayKeepIn(data))) return;
  const all = join(data, 'compiled');
  const own = join(all, versionIn(readFileSync(join(projectFolder(), 'package.json'), 'utf8')));
  if (!existsSync(own)) rmSync(all, { recursive: true, force: true });
  enableCompileCache(own);
}

// There may be no data folder yet: it starts more slowly.
await keepCompiled().catch(() => undefined);
await import('./cli/main.ts');
