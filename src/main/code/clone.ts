/**
 * Clones the repositories of own scripts with their submodules. They are kept, so that a second fetch takes what is
 * new; each is used by one take at a time.
 */
import { randomUUID } from 'node:crypto';
import { access, mkdir, realpath, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { RinglabError } from '../../shared/base/errors.ts';
import { shownAddress } from '../../shared/base/shown-address.ts';
import { createKeyedQueue } from '../base/serial-queue.ts';
import { phrase } from '../i18n/index.ts';
import { hashText } from '../transfer/index.ts';
import type { TakeOptions } from './contract.ts';
import { sshEnvironment } from './git-environment.ts';
import { git, treeEntries, type Tracked, type TreeEntry } from './git.ts';
import { submodulesOf, type Submodule } from './submodules.ts';

export interface Clone {
  readonly commit: string;
  /** All its files, those of submodules too. */
  readonly tracked: Tracked;
}

/** Of one repository, those of submodules among them. */
const maxSubmodules = 200;

const wantsLogin =
  /could not read (Username|Password)|terminal prompts disabled|Authentication failed|Permission denied|invalid credentials|HTTP Basic: Access denied|returned error: 40[13]/i;

/** What git says where the kept repository is damaged, or locked by a git that was killed. */
const isDamage =
  /\.lock'|corrupt|object file|bad (object|config)|missing (blob|tree|object)|(unable|failed) to (read|open|parse|traverse|write)|could not (lock|set)|not a git repository|index-pack|unpack-objects|necessary objects|shallow (file|line)/i;

/** What it says where the way is broken or the disk full, among words as for a damaged repository. */
const isElsewhere =
  /early EOF|RPC failed|unexpected disconnect|hung up|connection (reset|timed out)|no space left|disk quota/i;

/**
 * What it says of a repository or a commit that is not there, and of an address that it may not read: not of a proxy, or of
 * a server that asks to come later (407, 408, 425, 429), and not where a host's key has changed. A name that does not resolve
 * counts as gone: the repository itself was fetched a moment before.
 */
const isNowhere =
  /not found|does not (exist|appear to be a git)|not allowed|not our ref|couldn't find remote ref|needed a single revision|returned error: 4(?!0[78]|2[59])\d\d|could not resolve host|(?<!has changed[^]*)host key verification failed/i;

/** What git says after ssh, whatever the reason. */
const afterSsh = /\s*fatal: Could not read from remote repository\.\s+Please make sure[^]*$/;

/** The commit's own bytes go to nodes, and not the line ends that git writes on this computer. */
const asCommitted = ['-c', 'core.autocrlf=false', '-c', 'core.eol=lf'];

/** Within this process; another one never sees a repository that is in use (`takeOver`). */
const inTurn = createKeyedQueue();

/**
 * Fetches a branch, tag or commit and writes its files, with those of its submodules, into `tree`, which is emptied.
 * @param folder where repositories are kept
 * @throws git_missing, git_needs_login, git_failed
 */
export async function cloneInto(
  folder: string,
  url: string,
  ref: string | undefined,
  tree: string,
  options: TakeOptions,
): Promise<Clone> {
  const tracked = new Map<string, boolean>();
  let fetched = 0;
  const into = async (from: string, what: string | undefined, below: string): Promise<string> => {
    const part = await cloneOne(folder, from, what, join(tree, below), options).catch((error: unknown) => {
      if (below === '' || !cannotBeFetched(error)) throw error;
      // Many repositories name one that only their authors can read, and that the script does not need.
      const reason = error.detail ?? error.message;
      options.log?.(phrase('stepLog.submoduleUnreachable', { path: below, url: shownAddress(from), reason }));
      return undefined;
    });
    if (part === undefined) return '';
    for (const { path, executable } of part.files)
      tracked.set(below === '' ? path : `${below}/${path}`, executable);
    for (const { path, url: address, commit } of part.submodules) {
      const place = below === '' ? path : `${below}/${path}`;
      if (address === undefined || !(await isOwnFolder(tree, place))) {
        options.log?.(phrase('stepLog.submoduleLeftOut', { path: place }));
        continue;
      }
      fetched += 1;
      if (fetched > maxSubmodules)
        throw new RinglabError('git_failed', {
          url: shownAddress(url),
          said: phrase('reasons.script.submodules', { max: maxSubmodules }),
        });
      await into(address, commit, place);
    }
    return part.commit;
  };
  return { commit: await into(url, ref, ''), tracked };
}

/** Not where the way is broken: another try has the files, without which the run would be another one. */
const cannotBeFetched = (error: unknown): error is RinglabError =>
  error instanceof RinglabError &&
  (error.code === 'git_needs_login' || (error.code === 'git_failed' && isNowhere.test(String(error.detail))));

/** Not below a link, which would lead out of the tree. */
async function isOwnFolder(tree: string, path: string): Promise<boolean> {
  const real = await realpath(join(tree, path)).catch(() => undefined);
  return real === join(await realpath(tree), ...path.split('/'));
}

interface Part {
  readonly commit: string;
  readonly files: readonly TreeEntry[];
  readonly submodules: readonly Submodule[];
}

async function cloneOne(
  folder: string,
  url: string,
  ref: string | undefined,
  tree: string,
  options: TakeOptions,
): Promise<Part> {
  await mkdir(folder, { recursive: true });
  const kept = join(folder, hashText(url).slice(0, 24));
  return await inTurn(kept, async () => {
    const own = join(folder, `.${hashText(url).slice(0, 24)}-${randomUUID().slice(0, 8)}`);
    const wasKept = await takeOver(kept, own);
    try {
      return await checkOut(own, url, ref, tree, options);
    } catch (error) {
      const said = error instanceof RinglabError && error.code === 'git_failed' ? String(error.detail) : '';
      if (!wasKept || !isDamage.test(said) || isElsewhere.test(said)) throw error;
      await rm(own, { recursive: true, force: true });
      return await checkOut(own, url, ref, tree, options);
    } finally {
      // Another process may have put its own there meanwhile.
      await rename(own, kept).catch(() => rm(own, { recursive: true, force: true }));
    }
  });
}

/**
 * Gives the kept repository a name that no other process knows: only one succeeds, and where it is killed nobody meets
 * its locks or half-written objects. Returns whether there was one.
 */
async function takeOver(kept: string, own: string): Promise<boolean> {
  // `prune` removes what was not fetched from for long.
  const now = new Date();
  return await utimes(kept, now, now)
    .then(() => rename(kept, own))
    .then(
      () => true,
      () => false,
    );
}

/** Its hash is not the user's choice: another than the server's fetches nothing. @param must runs git in it */
async function initialise(
  repository: string,
  format: string,
  must: (args: readonly string[], environment: NodeJS.ProcessEnv) => Promise<string>,
): Promise<void> {
  await mkdir(repository, { recursive: true });
  // An option for it is unknown to git before 2.29.
  await must(['init', '-q', '--bare'], { GIT_DEFAULT_HASH: format });
}

/** The server's hash, where git says that it is another. */
const otherFormat = (error: unknown): string | undefined =>
  error instanceof RinglabError
    ? /mismatched algorithms: client \w+; server (sha1|sha256)\b/.exec(String(error.detail))?.[1]
    : undefined;

/** @param repository used by nobody else */
async function checkOut(
  repository: string,
  url: string,
  ref: string | undefined,
  tree: string,
  { signal, log = () => undefined }: TakeOptions,
): Promise<Part> {
  await mkdir(repository, { recursive: true });
  const must = async (args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<string> => {
    const { code, stdout, stderr } = await git(repository, args, signal, environment);
    if (code === 0) return stdout.trim();
    if (wantsLogin.test(stderr))
      throw new RinglabError('git_needs_login', { url: shownAddress(url) }, { detail: stderr.trim() });
    const said = stderr.replace(afterSsh, '').trim().split('\n').at(-1) ?? '';
    throw new RinglabError('git_failed', { url: shownAddress(url), said }, { detail: stderr.trim() });
  };
  const isNew = await access(join(repository, 'HEAD')).then(
    () => false,
    () => true,
  );
  if (isNew) await initialise(repository, 'sha1', must);
  const configured = await git(repository, ['config', '--get', 'core.sshCommand'], signal);
  const ssh = sshEnvironment(configured.stdout.trim());
  log(`git fetch ${shownAddress(url)} ${ref ?? 'HEAD'}`);
  // A ref of its own: objects that were fetched before are not fetched again, and git's garbage collection keeps them.
  const name = `refs/taken/${hashText(ref ?? 'HEAD').slice(0, 24)}`;
  const fetched = async (args: readonly string[], what: string): Promise<string> => {
    await must(['fetch', '-q', ...args], ssh).catch(async (error: unknown) => {
      const format = otherFormat(error);
      if (format === undefined) throw error;
      await rm(repository, { recursive: true, force: true });
      await initialise(repository, format, must);
      await must(['fetch', '-q', ...args], ssh);
    });
    return await must(['rev-parse', '--verify', `${what}^{commit}`]);
  };
  const isCommit = ref !== undefined && /^[0-9a-f]{7,64}$/i.test(ref);
  const only = ['--no-tags', '--', url, `+${ref ?? 'HEAD'}:${name}`];
  const branches = ['--', url, '+refs/heads/*:refs/ringlab/*', '+refs/tags/*:refs/tags/*'];
  const all = async (what: string): Promise<string> => {
    // What was fetched without its history would stay so.
    const isShallow = (await must(['rev-parse', '--is-shallow-repository'])) === 'true';
    return await fetched([...(isShallow ? ['--unshallow'] : []), ...branches], what);
  };
  /** A server of plain files has no shallow history; some give a commit only with its branch. */
  const ways: readonly (() => Promise<string>)[] = [
    () => fetched(['--depth', '1', ...only], name),
    () => fetched(only, name),
    ...(isCommit ? [() => all(ref)] : []),
  ];
  const commit = await firstThatWorks(ways);
  await rm(tree, { recursive: true, force: true });
  await mkdir(tree, { recursive: true });
  // Git LFS fetches from there. Not stored: an address may hold a token.
  const origin = ['-c', `remote.origin.url=${url}`];
  await must(
    [...asCommitted, ...origin, '--work-tree', tree, 'checkout', '-q', '-f', commit, '--', '.'],
    ssh,
  );
  const entries = await treeEntries(repository, commit, signal);
  return {
    commit,
    files: entries.filter(({ type }) => type === 'blob'),
    submodules: await submodulesOf(repository, commit, entries, url, signal),
  };
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
