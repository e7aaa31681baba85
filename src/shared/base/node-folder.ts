/**
 * Paths of Ringlab's files on a node that the window and a lab's objects need; src/main/base/node-layout.ts has the others. POSIX
 * paths.
 */

/** Ringlab's folder in a node's home. */
export const nodeFolderName = '.ringlab';
const runs = 'runs';
const code = 'code';

/** A run's folder: its ranks' folders, logs and checkpoints. */
export const runFolder = (home: string, run: string): string => `${home}/${nodeFolderName}/${runs}/${run}`;

/** A run's own copy of the code, in which its processes work: what they write stays with the run. */
export const codeCopy = (home: string, run: string): string => `${runFolder(home, run)}/${code}`;

/** The home of a path in a run's folder; empty for any other path. */
export const homeOfRun = (path: string): string =>
  path.slice(0, Math.max(0, path.indexOf(`/${nodeFolderName}/${runs}/`)));

const escaped = nodeFolderName.replaceAll('.', String.raw`\.`);
/** What precedes the path of a script's file: the folder of a run's copy, or of the original by its content. */
export const beforeCode = new RegExp(`^.*/${escaped}/(?:${runs}/[^/]+/${code}|${code}/[^/]+)/`);
