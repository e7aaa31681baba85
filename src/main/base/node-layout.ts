/** Paths of Ringlab's files on a node: all in `~/.ringlab`, except scripts that root runs. POSIX paths. */
import { nodeFolderName as name, runFolder } from '../../shared/base/node-folder.ts';

export { codeCopy, homeOfRun, runFolder } from '../../shared/base/node-folder.ts';

/** In a run's copy of its code: made when the copy was complete, before the script could write into it. */
export const copiedMark = '.ringlab-copied';

/** Its folders; the names that are specific to Ringlab come first. */
export const ownNames = [
  'trainers',
  'environments',
  'micromamba',
  'packages',
  'driver',
  'runs',
  'data',
  'wheels',
  'code',
  'build',
  'bin',
  'installing',
  'python',
] as const;
type OwnName = (typeof ownNames)[number];
/** A folder with one of these names identifies `~/.ringlab` as Ringlab's, whatever else is in it. */
export const unmistakableNames = ownNames.slice(0, 4);

/** For messages, and for shells that expand `~`. */
export const ringlabInHome = `~/${name}`;
/** For shell text, quoted with double quotes or unquoted: the shell expands `$HOME`. */
export const ringlabInShell = `$HOME/${name}`;

export const ringlabFolder = (home: string): string => `${home}/${name}`;

/** A path within one of these folders. */
const within =
  (folder: OwnName) =>
  (home: string, path: string): string =>
    `${ringlabFolder(home)}/${folder}/${path}`;

/** A data set's folder. */
export const dataFolder = within('data');
/** A version of an own script's code, by its hash. */
export const codeFolder = within('code');
/** An installed trainer's folder, by its fingerprint. */
export const trainerFolder = within('trainers');
/** The folder in which a trainer is compiled. */
export const buildFolder = within('build');
/** A version of our package for Python, by its hash: it goes in front of PYTHONPATH. */
export const pythonPackageFolder = within('python');
/** A conda environment's folder. */
export const environmentFolder = within('environments');
/** A virtual environment of Python wheels; beside them uv's downloads and its Pythons. */
export const wheelsFolder = within('wheels');
export const uvProgram = (home: string, version: string): string => within('bin')(home, `uv-${version}`);
export const micromambaRoot = (home: string): string => `${ringlabFolder(home)}/micromamba`;
export const micromambaProgram = (home: string): string => within('bin')(home, 'micromamba');
/** A folder of packages sent to the node, by their hash. */
export const packagesFolder = within('packages');
/** A driver installer sent to the node. */
export const driverFile = within('driver');
/**
 * The folder of an installation that survives the connection. Scripts that root runs are kept where only root can
 * change them.
 */
export const installingFolder = (home: string, installation: string, asOtherRoot: boolean): string =>
  asOtherRoot ? `/run/ringlab${home}/${installation}` : within('installing')(home, installation);
/** The folders of all installations, as a pattern for `case` in a shell that checks running processes. */
export const installingInShell = `"${ringlabInShell}/installing/"*|"/run/ringlab$HOME/"*`;

/** Whether a recorded path is the folder of this run: only then may it be removed. */
export const isRunFolder = (path: string, runId: string): boolean => path.endsWith(runFolder('', runId));
