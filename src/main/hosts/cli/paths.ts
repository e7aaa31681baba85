/** Paths of the hosts that run from the project folder or an installed copy of it: web and command line. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Paths } from '../../base/platform.ts';

/** The folder that holds package.json: two levels above `dist/main` and four above this source file. */
export function projectFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) return process.cwd();
    folder = parent;
  }
  return folder;
}

/** Where HOME is empty or relative the account's own: the data folder must not be below the current folder. */
function ownHome(): string {
  const home = homedir();
  return isAbsolute(home) ? home : userInfo().homedir;
}

/** `--data`, else RINGLAB_DATA, else the system's default. */
export function dataFolder(asked: string | undefined): string {
  if (asked !== undefined) return resolve(asked);
  const { RINGLAB_DATA, XDG_DATA_HOME, APPDATA } = process.env;
  if (RINGLAB_DATA !== undefined && RINGLAB_DATA !== '') return resolve(RINGLAB_DATA);
  if (process.platform === 'win32' && APPDATA !== undefined) return join(APPDATA, 'Ringlab');
  if (process.platform === 'darwin') return join(ownHome(), 'Library', 'Application Support', 'Ringlab');
  // A data home that is empty or relative counts as none, by the specification of XDG.
  const dataHome =
    XDG_DATA_HOME !== undefined && isAbsolute(XDG_DATA_HOME)
      ? XDG_DATA_HOME
      : join(ownHome(), '.local', 'share');
  return join(dataHome, 'ringlab');
}

export function pathsFor(data: string): Paths {
  const project = projectFolder();
  const trainer = join(project, 'native', 'build', 'ringlab-train');
  return {
    data,
    assets: join(project, 'assets'),
    nativeSource: join(project, 'native'),
    pythonSource: join(project, 'python'),
    trainerBinary: existsSync(trainer) ? trainer : undefined,
    home: ownHome(),
  };
}

/**
 * The bundle's entry: it names the other files of its version, by their hashes. Undefined where sources run, which change while
 * somebody works on them.
 */
export function programFile(): string | undefined {
  const file = fileURLToPath(import.meta.url);
  return file.endsWith('.js') ? join(dirname(file), 'cli.js') : undefined;
}

/** @param manifest the text of package.json */
export const versionIn = (manifest: string): string =>
  /"version":\s*"([\w.+-]+)"/.exec(manifest)?.[1] ?? '0.0.0';

export const projectVersion = async (): Promise<string> =>
  versionIn(await readFile(join(projectFolder(), 'package.json'), 'utf8'));
