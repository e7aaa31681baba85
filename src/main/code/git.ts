/** Runs the user's own `git`, without questions and without programs that a repository names. */
import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { RinglabError } from '../../shared/base/errors.ts';
import { gitEnvironment } from './git-environment.ts';

const patienceMs = 30 * 60_000;
/** Of one command's output. */
const maxOutput = 64 * 1024 ** 2;
/** A longer diff is not kept: the files themselves are. */
const maxDiff = 8 * 1024 ** 2;

/**
 * Neither hooks nor a watcher of the repository run, nothing goes on when a command has ended, and no helper asks for a password.
 * Kept repositories are bare: a user's setting refuses only those that git finds by itself.
 */
const quiet = [
  'safe.bareRepository=all',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'gc.autoDetach=false',
  'maintenance.autoDetach=false',
].flatMap((setting) => ['-c', setting]);

interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * @param environment beside what every git gets
 * @throws git_missing, or the signal's reason
 */
export async function git(
  folder: string,
  args: readonly string[],
  signal?: AbortSignal,
  environment: NodeJS.ProcessEnv = {},
): Promise<Output> {
  const output = await new Promise<Output | 'missing'>((resolve) => {
    execFile(
      'git',
      ['-C', folder, ...quiet, ...args],
      {
        env: { ...gitEnvironment(), ...environment },
        timeout: patienceMs,
        maxBuffer: maxOutput,
        encoding: 'utf8',
        signal,
      },
      (error, stdout, stderr) => {
        if (error === null) resolve({ code: 0, stdout, stderr });
        else if (error.code === 'ENOENT') resolve('missing');
        else resolve({ code: typeof error.code === 'number' ? error.code : 1, stdout, stderr });
      },
    );
  });
  signal?.throwIfAborted();
  if (output === 'missing') throw new RinglabError('git_missing', {});
  return output;
}

/** Paths that git tracks, and whether they are executable in it. */
export type Tracked = ReadonlyMap<string, boolean>;

const executableMode = '100755';
const submoduleMode = '160000';
/** Of submodules within submodules; links among folders could go round. */
const maxDepth = 10;

/** As `git apply` takes it, whatever the user has set up for the eye. */
const plainDiff = [
  ...['diff', '--no-ext-diff', '--no-textconv', '--binary'],
  ...['--no-color', '--src-prefix=a/', '--dst-prefix=b/'],
];

export interface WorkTree {
  readonly commit?: string | undefined;
  readonly changed: number;
  readonly diff?: string | undefined;
  /** Relative to the folder. */
  readonly tracked: Tracked;
  /** The way from the work tree's root to the folder, which ends with `/`; empty for the root. */
  readonly prefix: string;
}

/** The folder's prefix; undefined where it is no work tree, or there is no git. */
async function prefixOf(folder: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  try {
    const { stdout } = await git(folder, ['rev-parse', '--is-inside-work-tree', '--show-prefix'], signal);
    return /^true\n(.*)\n$/su.exec(stdout)?.[1];
  } catch (error) {
    if (error instanceof RinglabError && error.code === 'git_missing') return undefined;
    throw error;
  }
}

/** Those of submodules, too, which have an index of their own: to the outer one each is a single path. */
async function trackedPaths(folder: string, signal: AbortSignal | undefined, depth = 0): Promise<Tracked> {
  const { stdout } = await git(folder, ['ls-files', '-s', '-z'], signal);
  const tracked = new Map<string, boolean>();
  for (const line of stdout.split('\0')) {
    const [, mode, path = ''] = /^(\d+) [0-9a-f]+ \d\t(.+)$/su.exec(line) ?? [];
    if (path === '') continue;
    tracked.set(path, mode === executableMode);
    const below = join(folder, path);
    if (mode !== submoduleMode || depth === maxDepth || !(await isCheckedOut(below))) continue;
    for (const [name, executable] of await trackedPaths(below, signal, depth + 1))
      tracked.set(`${path}/${name}`, executable);
  }
  return tracked;
}

/** In the folder of one that is not, git answers for the work tree around it. */
async function isCheckedOut(submodule: string): Promise<boolean> {
  const [own, repository] = await Promise.all(
    [submodule, join(submodule, '.git')].map((path) => lstat(path).catch(() => undefined)),
  );
  return own?.isDirectory() === true && repository !== undefined;
}

/** Where the folder lies in its work tree, and what git tracks in it; undefined where it is no work tree. */
export async function placeOf(
  folder: string,
  signal?: AbortSignal,
): Promise<Pick<WorkTree, 'tracked' | 'prefix'> | undefined> {
  const prefix = await prefixOf(folder, signal);
  return prefix === undefined ? undefined : { tracked: await trackedPaths(folder, signal), prefix };
}

/** Undefined where the folder is no git work tree, or there is no git. */
export async function workTreeOf(folder: string, signal?: AbortSignal): Promise<WorkTree | undefined> {
  const place = await placeOf(folder, signal);
  if (place === undefined) return undefined;
  const head = await git(folder, ['rev-parse', '--verify', 'HEAD'], signal);
  const status = await git(folder, ['status', '--porcelain', '-z', '--no-renames', '--', '.'], signal);
  const diff = head.code === 0 ? await git(folder, [...plainDiff, 'HEAD', '--', '.'], signal) : undefined;
  const changes = status.stdout.split('\0').filter((line) => line !== '');
  return {
    ...(head.code === 0 ? { commit: head.stdout.trim() } : {}),
    changed: changes.length,
    ...(diff === undefined || diff.stdout === '' || diff.stdout.length > maxDiff
      ? {}
      : { diff: diff.stdout }),
    ...place,
  };
}

export interface TreeEntry {
  readonly path: string;
  /** `commit`: a submodule. */
  readonly type: string;
  /** Its hash. */
  readonly object: string;
  readonly executable: boolean;
}

/** What a commit holds, in all of its folders. */
export async function treeEntries(
  repository: string,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<TreeEntry[]> {
  const { stdout } = await git(repository, ['ls-tree', '-r', '-z', '--full-tree', commit], signal);
  return stdout.split('\0').flatMap((line) => {
    const [, mode, type = '', object = '', path = ''] = /^(\d+) (\w+) ([0-9a-f]+)\t(.+)$/su.exec(line) ?? [];
    return path === '' ? [] : [{ path, type, object, executable: mode === executableMode }];
  });
}
