/**
 * Entry point of the bundled command line. Node compiles the program's files at each start; what it compiled is kept in the data
 * folder, for this version alone.
 */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { dataFolder, projectFolder, versionIn } from './cli/paths.ts';

/** `--data DIR` or `--data=DIR`, as the command line reads it later. */
function namedFolder(args: readonly string[]): string | undefined {
  const at = args.findLastIndex((arg) => arg === '--data' || arg.startsWith('--data='));
  const [name, ...value] = (args[at] ?? '').split('=');
  return name === '' ? undefined : value.length > 0 ? value.join('=') : args[at + 1];
}

function keepCompiled(): void {
  const data = dataFolder(namedFolder(process.argv.slice(2)));
  const { uid, mode } = statSync(data);
  // It is executed: nobody else may write there. Windows does not say who can.
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0) return;
  const all = join(data, 'compiled');
  const own = join(all, versionIn(readFileSync(join(projectFolder(), 'package.json'), 'utf8')));
  if (!existsSync(own)) rmSync(all, { recursive: true, force: true });
  enableCompileCache(own);
}

try {
  keepCompiled();
} catch {
  // There is no data folder yet: it starts more slowly.
}
await import('./cli/main.ts');
