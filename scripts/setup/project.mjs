/** Paths in the project folder. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const cacheFolder = join(root, '.cache');
export const nativeBuild = join(root, 'native', 'build');
export const cliBundle = join(root, 'dist', 'main', 'cli.js');

/** @param {...string} parts below the project folder */
export const inProject = (...parts) => join(root, ...parts);
