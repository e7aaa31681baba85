/**
 * Entry point of the bundled command line. Node compiles the program's files at each start; what it compiled is kept, for this
 * version alone, in the user's cache folder.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { cacheFolder, projectFolder, versionIn } from './cli/paths.ts';

function keepCompiled(): void {
  const all = join(cacheFolder(), 'compiled');
  try {
    const own = join(all, versionIn(readFileSync(join(projectFolder(), 'package.json'), 'utf8')));
    if (!existsSync(own)) rmSync(all, { recursive: true, force: true });
    enableCompileCache(own);
  } catch {
    // It only starts more slowly.
  }
}

keepCompiled();
await import('./cli/main.ts');
