/** Paths: in the project folder during development, else in the installed app's resources. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Paths } from '../../base/platform.ts';
import { dataFolder } from '../cli/paths.ts';

export interface Place {
  /** The project folder, or the installed `app.asar`. */
  readonly appPath: string;
  /** Electron's `process.resourcesPath`. */
  readonly resources: string;
  readonly isPackaged: boolean;
  /** Of the process, with those of Electron itself and of Chromium. */
  readonly args: readonly string[];
}

export interface ElectronPaths extends Paths {
  /** The built renderer. */
  readonly renderer: string;
  readonly preload: string;
}

/** `--data`, as the command line takes it. */
function askedData(args: readonly string[]): string | undefined {
  const { values } = parseArgs({ args: [...args], options: { data: { type: 'string' } }, strict: false });
  return typeof values.data === 'string' && values.data !== '' ? values.data : undefined;
}

/** The data folder is shared with the other hosts, so that window and command line show the same. */
export function electronPaths({ appPath, resources, isPackaged, args }: Place): ElectronPaths {
  // Example labs and the trainer's sources are also read by other programs, and therefore outside the archive.
  const outside = isPackaged ? resources : appPath;
  const trainer = join(outside, 'native', 'build', 'ringlab-train');
  return {
    data: dataFolder(askedData(args)),
    assets: join(outside, 'assets'),
    nativeSource: join(outside, 'native'),
    pythonSource: join(outside, 'python'),
    trainerBinary: existsSync(trainer) ? trainer : undefined,
    home: homedir(),
    renderer: join(appPath, 'dist', 'renderer'),
    preload: join(appPath, 'dist', 'main', 'preload.cjs'),
  };
}
