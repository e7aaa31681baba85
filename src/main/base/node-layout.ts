/** Where Ringlab's files lie on a node: all in `.ringlab` of the home folder, but for what root runs. POSIX paths. */

const name = '.ringlab';

/** The folders within it; those that nobody else would call so come first. */
export const ownNames = [
  'trainers',
  'environments',
  'micromamba',
  'packages',
  'driver',
  'runs',
  'data',
  'build',
  'bin',
  'installing',
] as const;
type OwnName = (typeof ownNames)[number];
/** Whatever else lies beside one of these: it is Ringlab's. */
export const unmistakableNames = ownNames.slice(0, 4);

/** For messages, and for shells that know the home folder. */
export const ringlabInHome = `~/${name}`;
/** For shell text in double quotes or without: `$HOME` is the shell's. */
export const ringlabInShell = `$HOME/${name}`;

export const ringlabFolder = (home: string): string => `${home}/${name}`;

/** A path within one of the app's own folders. */
const within =
  (folder: OwnName) =>
  (home: string, path: string): string =>
    `${ringlabFolder(home)}/${folder}/${path}`;

/** Of one run: its ranks' folders, logs and checkpoints. */
export const runFolder = within('runs');
/** Of one data set. */
export const dataFolder = within('data');
/** Of one trainer that runs here, by its fingerprint. */
export const trainerFolder = within('trainers');
/** Where one is compiled. */
export const buildFolder = within('build');
/** Of one conda environment. */
export const environmentFolder = within('environments');
export const micromambaRoot = (home: string): string => `${ringlabFolder(home)}/micromamba`;
export const micromambaProgram = (home: string): string => within('bin')(home, 'micromamba');
/** Of packages that were sent, by what they are. */
export const packagesFolder = within('packages');
/** An installer that was sent. */
export const driverFile = within('driver');
/** Of an installation that outlives the connection. What root runs is not kept where another than root may change it. */
export const installingFolder = (home: string, installation: string, asOtherRoot: boolean): string =>
  asOtherRoot ? `/run/ringlab${home}/${installation}` : within('installing')(home, installation);
/** The same for a `case` of a shell that looks at what runs: the folders of all installations. */
export const installingInShell = `"${ringlabInShell}/installing/"*|"/run/ringlab$HOME/"*`;

/** Whether a path that a record names is the folder of this run: nothing else is removed for it. */
export const isRunFolder = (path: string, runId: string): boolean => path.endsWith(`/${name}/runs/${runId}`);
