/** Paths: in the project folder during development, else in the installed app's resources. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Paths } from '../../base/platform.ts';
import { dataFolder } from '../cli/paths.ts';

export interface Place {
  /** The project folder, or the installed `app.asar`. */
  readonly appPath: string;
  /** Electron's `process.resourcesPath`. */
  readonly resources: string;
  readonly isPackaged: boolean;
}

export interface ElectronPaths extends Paths {
  /** The built renderer. */
  readonly renderer: string;
  readonly preload: string;
}

/** The data folder is shared with the other hosts, so that window and command line show the same. */
export function electronPaths({ appPath, resources, isPackaged }: Place): ElectronPaths {
  // Example labs and the trainer's sources are also read by other programs, and therefore outside the archive.
  const outside = isPackaged ? resources : appPath;
  const trainer = join(outside, 'native', 'build', 'ringlab-train');
  return {
    data: dataFolder(undefined),
    assets: join(outside, 'assets'),
    nativeSource: join(outside, 'native'),
    pythonSource: join(outside, 'python'),
    trainerBinary: existsSync(trainer) ? trainer : undefined,
    home: homedir(),
    renderer: join(appPath, 'dist', 'renderer'),
    preload: join(appPath, 'dist', 'main', 'preload.cjs'),
  };
}
