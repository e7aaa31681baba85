/** The user's own git, with what their environment and settings say to it. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCodeShelf, type CodeShelf } from './index.ts';
import { git, serveGit } from '../transfer/testing/git-server.ts';

let folder: string;
let project: string;
let shelf: CodeShelf;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-git-'));
  shelf = createCodeShelf(join(folder, 'data', 'code'), folder);
  project = await repository('project', { 'train.py': 'print(1)\n' });
});
afterEach(() => {
  vi.unstubAllEnvs();
  return rm(folder, { recursive: true, force: true });
});

async function repository(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const root = join(folder, name);
  await mkdir(root);
  for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text);
  git(folder, 'init', '-q', '-b', 'main', name);
  git(root, 'add', '.');
  git(root, 'commit', '-qm', 'first');
  return root;
}
const take = async (source: { type: 'git'; url: string } | { type: 'folder'; path: string }) =>
  await shelf.take({ source, file: 'train.py', arguments: '' });

describe('in a hook of another repository', () => {
  let own: string;
  beforeEach(async () => {
    own = await repository('own', { 'thesis.txt': 'words\n' });
    await writeFile(join(own, 'staged.txt'), '');
    git(own, 'add', '.');
  });

  it.each([
    ['GIT_DIR', () => join(own, '.git')],
    ['GIT_INDEX_FILE', () => '.git/index'],
  ])('that sets %s a clone leaves that one as it is', async (name, value) => {
    await using server = await serveGit(folder);
    const state = (): string[] =>
      [['config', 'core.bare'], ['for-each-ref'], ['status', '--porcelain']].map((args) => git(own, ...args));
    const before = state();
    vi.stubEnv(name, value());
    const { manifest } = await take({ type: 'git', url: `${server.url}/project/.git` });
    vi.unstubAllEnvs();
    expect(manifest.files.map(({ path }) => path)).toEqual(['train.py']);
    expect(state()).toEqual(before);
  });

  it('the commit and the changes of a folder are its own', async () => {
    const commit = git(project, 'rev-parse', 'HEAD').trim();
    vi.stubEnv('GIT_DIR', join(own, '.git'));
    const { code, diff } = await take({ type: 'folder', path: project });
    expect(code).toMatchObject({ commit, changed: 0 });
    expect(diff).toBeUndefined();
  });
});

/** What the user has set up for all repositories. */
const setUp = async (settings: string): Promise<void> => {
  const file = join(folder, 'gitconfig');
  await writeFile(file, settings);
  vi.stubEnv('GIT_CONFIG_GLOBAL', file);
};

it.each([
  ['core.autocrlf', '[core]\n\tautocrlf = true\n', ''],
  ['core.eol', '[core]\n\teol = crlf\n', '* text=auto\n'],
])('a repository is taken as it was committed, whatever %s is', async (_, settings, attributes) => {
  await writeFile(join(project, '.gitattributes'), attributes);
  git(project, 'add', '.');
  git(project, 'commit', '-qm', 'attributes');
  await using server = await serveGit(folder);
  await setUp(settings);
  const { manifest } = await take({ type: 'git', url: `${server.url}/project/.git` });
  expect(await readFile(join(manifest.root, 'train.py'), 'utf8')).toBe('print(1)\n');
});

it.each(['[color]\n\tui = always\n', '[diff]\n\tnoprefix = true\n', '[diff]\n\tmnemonicPrefix = true\n'])(
  'changes are kept as git apply takes them, whatever the user has set up: %j',
  async (settings) => {
    await writeFile(join(project, 'train.py'), 'changed\n');
    await setUp(settings);
    const { diff } = await take({ type: 'folder', path: project });
    expect(diff).toContain('diff --git a/train.py b/train.py\n');
    expect(diff).toContain('\n+changed\n');
  },
);

it('a repository has its files in Git LFS, which fetches from its address', async () => {
  await writeFile(join(project, '.gitattributes'), '*.bin filter=lfs\n');
  await writeFile(join(project, 'weights.bin'), 'a pointer');
  git(project, 'add', '.');
  git(project, 'commit', '-qm', 'weights');
  await using server = await serveGit(folder);
  const url = `${server.url}/project/.git`;
  // What git-lfs asks git for.
  await setUp('[filter "lfs"]\n\tsmudge = git config remote.origin.url\n\trequired = true\n');
  const { manifest } = await take({ type: 'git', url });
  expect(await readFile(join(manifest.root, 'weights.bin'), 'utf8')).toBe(`${url}\n`);
  const [name = ''] = await readdir(join(folder, 'data', 'code', 'repositories'));
  expect(await readFile(join(folder, 'data', 'code', 'repositories', name, 'config'), 'utf8')).not.toContain(
    url,
  );
});

describe.runIf(process.platform !== 'win32')('SSH is started as the user has set it up', () => {
  let program: string;
  /** What it was started with. */
  const started = async (): Promise<string> => {
    await expect(take({ type: 'git', url: 'git@127.0.0.1:team/project' })).rejects.toMatchObject({
      code: 'git_needs_login',
    });
    return await readFile(`${program}.log`, 'utf8');
  };
  const write = async (name: string): Promise<void> => {
    program = join(folder, name);
    const text = '#!/bin/sh\necho "$@" >>"$0.log"\necho "Permission denied (publickey)." >&2\nexit 255\n';
    await writeFile(program, text, { mode: 0o755 });
  };
  beforeEach(() => vi.stubEnv('GIT_SSH_COMMAND', undefined));

  it('in core.sshCommand, without questions', async () => {
    await write('ssh');
    await setUp(`[core]\n\tsshCommand = ${program} -i key\n`);
    expect(await started()).toMatch(/^-i key -o BatchMode=yes .*git@127\.0\.0\.1/m);
  });

  it('in GIT_SSH_COMMAND before that', async () => {
    await write('ssh');
    await setUp('[core]\n\tsshCommand = false\n');
    vi.stubEnv('GIT_SSH_COMMAND', `${program} -i key`);
    expect(await started()).toMatch(/^-i key -o BatchMode=yes /m);
  });

  it('in GIT_SSH', async () => {
    await write('ssh');
    await setUp('');
    vi.stubEnv('GIT_SSH', program);
    expect(await started()).toMatch(/git@127\.0\.0\.1/);
  });

  it('with a program of PuTTY, without options that only OpenSSH knows', async () => {
    await mkdir(join(folder, 'with space'));
    await write('with space/plink.exe');
    await setUp(`[core]\n\tsshCommand = '${program}' -batch\n`);
    const said = await started();
    expect(said).toMatch(/^-batch .*git@127\.0\.0\.1/m);
    expect(said).not.toContain('BatchMode');
  });
});
