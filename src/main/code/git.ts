/** Runs the user's own `git`, without questions and without programs that a repository names. */
import { execFile } from 'node:child_process';
import { mkdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { RinglabError } from '../../shared/base/errors.ts';
import { hashText } from '../transfer/index.ts';
import type { TakeOptions } from './contract.ts';

const patienceMs = 30 * 60_000;
/** Of one command's output. */
const maxOutput = 64 * 1024 ** 2;
/** A longer diff is not kept: the files themselves are. */
const maxDiff = 8 * 1024 ** 2;

/** Neither hooks nor a watcher of the repository run, and no helper asks for a password. */
const quiet = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false'];
const environment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS: 'true',
  SSH_ASKPASS_REQUIRE: 'never',
  GCM_INTERACTIVE: 'never',
  GIT_SSH_COMMAND: `${process.env.GIT_SSH_COMMAND ?? 'ssh'} -o BatchMode=yes`,
  GIT_ALLOW_PROTOCOL: 'https:http:ssh:git',
});

interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Throws git_missing, or the signal's reason. */
async function git(folder: string, args: readonly string[], signal?: AbortSignal): Promise<Output> {
  const output = await new Promise<Output | 'missing'>((resolve) => {
    execFile(
      'git',
      ['-C', folder, ...quiet, ...args],
      { env: environment(), timeout: patienceMs, maxBuffer: maxOutput, encoding: 'utf8', signal },
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

export interface WorkTree {
  readonly commit?: string | undefined;
  readonly changed: number;
  readonly diff?: string | undefined;
  /** Relative to the folder. */
  readonly tracked: ReadonlySet<string>;
}

/** False, too, where there is no git. */
async function isWorkTree(folder: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    const inside = await git(folder, ['rev-parse', '--is-inside-work-tree'], signal);
    return inside.stdout.trim() === 'true';
  } catch (error) {
    if (error instanceof RinglabError && error.code === 'git_missing') return false;
    throw error;
  }
}

async function trackedPaths(folder: string, signal: AbortSignal | undefined): Promise<ReadonlySet<string>> {
  const { stdout } = await git(folder, ['ls-files', '-z'], signal);
  return new Set(stdout.split('\0').filter((path) => path !== ''));
}

/** What git tracks in the folder, relative to it; nothing where it is no work tree. */
export const trackedIn = async (folder: string, signal?: AbortSignal): Promise<ReadonlySet<string>> =>
  (await isWorkTree(folder, signal)) ? trackedPaths(folder, signal) : new Set();

/** Undefined where the folder is no git work tree, or there is no git. */
export async function workTreeOf(folder: string, signal?: AbortSignal): Promise<WorkTree | undefined> {
  if (!(await isWorkTree(folder, signal))) return undefined;
  const head = await git(folder, ['rev-parse', '--verify', 'HEAD'], signal);
  const tracked = await trackedPaths(folder, signal);
  const status = await git(folder, ['status', '--porcelain', '-z', '--no-renames', '--', '.'], signal);
  const diff =
    head.code === 0
      ? await git(folder, ['diff', '--no-ext-diff', '--no-textconv', '--binary', 'HEAD', '--', '.'], signal)
      : undefined;
  const changes = status.stdout.split('\0').filter((line) => line !== '');
  return {
    ...(head.code === 0 ? { commit: head.stdout.trim() } : {}),
    changed: changes.length,
    ...(diff === undefined || diff.stdout === '' || diff.stdout.length > maxDiff
      ? {}
      : { diff: diff.stdout }),
    tracked,
  };
}

const wantsLogin =
  /could not read (Username|Password)|terminal prompts disabled|Authentication failed|Permission denied|invalid credentials|HTTP Basic: Access denied|returned error: 40[13]/i;

/**
 * Fetches a branch, tag or commit and writes its files into `tree`, which is emptied. Repositories are kept in
 * `folder`, so that a second fetch takes what is new.
 * @returns the commit
 * @throws git_missing, git_needs_login, git_failed
 */
export async function cloneInto(
  folder: string,
  url: string,
  ref: string | undefined,
  tree: string,
  { signal, log = () => undefined }: TakeOptions,
): Promise<string> {
  const repository = join(folder, hashText(url).slice(0, 24));
  await mkdir(repository, { recursive: true });
  const must = async (args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await git(repository, args, signal);
    if (code === 0) return stdout.trim();
    if (wantsLogin.test(stderr))
      throw new RinglabError('git_needs_login', { url }, { detail: stderr.trim() });
    const said = stderr.trim().split('\n').at(-1) ?? '';
    throw new RinglabError('git_failed', { url, said }, { detail: stderr.trim() });
  };
  await must(['init', '-q', '--bare']);
  log(`git fetch ${url} ${ref ?? 'HEAD'}`);
  const fetched = async (args: readonly string[], name: string): Promise<string> => {
    await must(['fetch', '-q', ...args]);
    return await must(['rev-parse', '--verify', `${name}^{commit}`]);
  };
  const isCommit = ref !== undefined && /^[0-9a-f]{7,64}$/i.test(ref);
  const only = ['--no-tags', '--', url, ref ?? 'HEAD'];
  const all = ['--', url, '+refs/heads/*:refs/ringlab/*', '+refs/tags/*:refs/tags/*'];
  /** A server of plain files has no shallow history; some give a commit only with its branch. */
  const ways: readonly (() => Promise<string>)[] = [
    () => fetched(['--depth', '1', ...only], 'FETCH_HEAD'),
    () => fetched(only, 'FETCH_HEAD'),
    ...(isCommit ? [() => fetched(all, ref)] : []),
  ];
  const commit = await firstThatWorks(ways);
  // `prune` removes what was not fetched from for long.
  const now = new Date();
  await utimes(repository, now, now);
  await rm(tree, { recursive: true, force: true });
  await mkdir(tree, { recursive: true });
  await must(['--work-tree', tree, 'checkout', '-q', '-f', commit, '--', '.']);
  return commit;
}

/** The last way's error where none works; a refused login is final. */
async function firstThatWorks<T>(ways: readonly (() => Promise<T>)[]): Promise<T> {
  for (const [index, way] of ways.entries()) {
    try {
      return await way();
    } catch (error) {
      const again = error instanceof RinglabError && error.code === 'git_failed';
      if (!again || index === ways.length - 1) throw error;
    }
  }
  throw new RangeError('no way is given');
}
