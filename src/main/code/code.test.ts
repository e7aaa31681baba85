import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, rmSync } from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import type { Script } from '../../shared/lab/script.ts';
import { createCodeShelf, keptSize, measureCode, type CodeShelf } from './index.ts';
import { prune } from './prune.ts';
import { git, serve, serveGit, type Served } from '../transfer/testing/git-server.ts';

let folder: string;
let source: string;
let shelf: CodeShelf;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-code-'));
  source = join(folder, 'project');
  shelf = createCodeShelf(join(folder, 'data', 'code'), folder);
  await put({ 'train.py': 'print(1)\n', 'pkg/model.py': 'x = 1\n' });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const put = async (files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(source, path)), { recursive: true });
    await writeFile(join(source, path), text);
  }
};
const script = (change: Partial<Script> = {}): Script => ({
  source: { type: 'folder', path: source },
  file: 'train.py',
  arguments: '',
  ...change,
});
const sent = async (): Promise<string[]> =>
  (await shelf.take(script())).manifest.files.map(({ path }) => path);
const refusal = async (work: Promise<unknown>): Promise<RinglabError> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RinglabError);
  return error as RinglabError;
};
const serveRefusal = (): Promise<Served> =>
  serve((_request, response) => void response.writeHead(401, { 'WWW-Authenticate': 'Basic' }).end());
describe('a folder that changes while it is read', () => {
  it('is kept as it is copied: with the log that grows, without the file that is gone', async () => {
    await put({ 'run.log': 'one\n', 'gone.tmp': 'x' });
    let changed = false;
    const { manifest, code } = await shelf.take(script(), {
      onProgress: ({ done, total }) => {
        if (done < total || changed) return;
        changed = true;
        appendFileSync(join(source, 'run.log'), 'two\n');
        rmSync(join(source, 'gone.tmp'));
      },
    });
    expect(changed).toBe(true);
    expect(manifest.files.map(({ path }) => path)).toEqual(['pkg/model.py', 'run.log', 'train.py']);
    expect(await readFile(join(manifest.root, 'run.log'), 'utf8')).toBe('one\ntwo\n');
    expect(code).toMatchObject({ hash: manifest.hash, files: 3, bytes: 23 });
    // What is kept is complete, and the same content has the same name again.
    expect((await shelf.kept(code)).manifest.hash).toBe(manifest.hash);
    expect((await shelf.take(script())).code.hash).toBe(manifest.hash);
  });
});

describe('the code of a script', () => {
  it('is what the ignore files leave, without caches, environments and .git', async () => {
    await put({
      '.gitignore': '*.pt\n/data/\n!keep.pt\n',
      '.ringlabignore': 'notes.txt\n',
      'a.pt': '',
      'keep.pt': '',
      'notes.txt': '',
      'data/x.bin': '',
      'pkg/data/y.txt': '',
      'pkg/.gitignore': 'secret.*\n',
      'pkg/secret.key': '',
      '.git/config': '',
      '.venv/pyvenv.cfg': '',
      '.venv/lib/big.so': '',
      '__pycache__/train.pyc': '',
    });
    expect(await sent()).toEqual([
      '.gitignore',
      '.ringlabignore',
      'keep.pt',
      'pkg/.gitignore',
      'pkg/data/y.txt',
      'pkg/model.py',
      'train.py',
    ]);
  });

  it('follows links that stay inside, and refuses one that leads out', async () => {
    await symlink('pkg', join(source, 'alias'));
    await symlink('nowhere', join(source, 'broken'));
    await symlink('..', join(source, 'pkg', 'up'));
    expect(await sent()).toEqual(['alias/model.py', 'pkg/model.py', 'train.py']);
    await symlink('/etc/hostname', join(source, 'pkg', 'out'));
    const error = await refusal(sent());
    expect(error).toMatchObject({ code: 'code_link_outside', params: { target: '/etc/hostname' } });
    await put({ '.ringlabignore': 'out\n' });
    expect(await sent()).toEqual(['.ringlabignore', 'alias/model.py', 'pkg/model.py', 'train.py']);
  });

  it('that is too large is refused before it is read, with what is big', async () => {
    await put({ 'data/huge.bin': '', 'runs/log.txt': 'x' });
    await truncate(join(source, 'data/huge.bin'), 20 * 1024 ** 3);
    const error = await refusal(sent());
    expect(error.code).toBe('code_too_large');
    expect(error.params.files).toBe('4');
    expect(String(error.params.big)).toMatch(/^data\/ \(1, 20480\.0 MiB\), /);
    expect((await refusal(measureCode(source))).params).toEqual(error.params);
    await put({ '.ringlabignore': 'data\n' });
    expect(await sent()).toContain('runs/log.txt');
  });

  it('is measured beforehand: what would be sent, and what is large in it', async () => {
    await put({ '.gitignore': 'runs\n', 'runs/log.txt': 'x'.repeat(999), 'data/a.bin': 'x'.repeat(500) });
    expect(await measureCode(source)).toEqual({
      files: 4,
      bytes: 9 + 6 + 5 + 500,
      largest: [
        { path: 'data/', files: 1, bytes: 500 },
        { path: 'train.py', files: 1, bytes: 9 },
        { path: 'pkg/', files: 1, bytes: 6 },
        { path: '.gitignore', files: 1, bytes: 5 },
      ],
    });
    git(folder, 'init', '-q', 'project');
    git(source, 'add', '-f', 'runs/log.txt');
    expect((await measureCode(source)).files).toBe(5);
    expect((await measureCode(source)).bytes).toBe((await shelf.take(script())).code.bytes);
  });

  it('lacks the script’s own file: an error that names it', async () => {
    for (const change of [
      { file: 'other.py' },
      { workingFolder: 'nowhere' },
      { install: { type: 'requirements', file: 'requirements.txt' } },
      { install: { type: 'project' } },
    ] satisfies Partial<Script>[])
      expect((await refusal(shelf.take(script(change)))).code).toBe('script_missing');
    expect((await shelf.take(script({ file: './train.py', workingFolder: 'pkg/' }))).code.files).toBe(2);
    const absent = script({ source: { type: 'folder', path: join(folder, 'absent') } });
    expect((await refusal(shelf.take(absent))).code).toBe('file_unreadable');
  });

  it('is kept by content, each content once, and can be taken out as it was', async () => {
    const first = await shelf.take(script());
    await put({ 'train.py': 'print(2)\n' });
    const second = await shelf.take(script());
    expect(second.code.hash).not.toBe(first.code.hash);
    await put({ 'train.py': 'print(1)\n' });
    expect((await shelf.take(script())).code).toEqual(first.code);
    const shared = await stat(join(first.manifest.root, 'pkg/model.py'));
    expect(shared.ino).toBe((await stat(join(second.manifest.root, 'pkg/model.py'))).ino);
    const out = join(folder, 'out');
    const [one, other] = await Promise.all([shelf.take(script()), shelf.take(script())]);
    expect(other.code).toEqual(one.code);
    await shelf.takeOut(second.code, out);
    expect(await readFile(join(out, 'train.py'), 'utf8')).toBe('print(2)\n');
    expect((await refusal(shelf.takeOut(first.code, out))).code).toBe('file_exists');
    expect((await shelf.kept(first.code)).manifest.hash).toBe(first.code.hash);
  });

  it('that was damaged here is not used', async () => {
    const { code, manifest } = await shelf.take(script());
    const file = join(manifest.root, 'train.py');
    await chmod(file, 0o644);
    await writeFile(file, 'print(3)\n');
    expect((await refusal(shelf.kept(code))).code).toBe('code_gone');
    expect((await shelf.take(script())).code).toEqual(code);
    expect(await readFile(file, 'utf8')).toBe('print(1)\n');
  });

  it('in a work tree has its commit, its changes, and what git tracks in spite of .gitignore', async () => {
    await put({ '.gitignore': '*.cfg\n', 'forced.cfg': 'a', 'other.cfg': 'b' });
    git(source, 'init', '-q');
    git(source, 'add', '-f', 'train.py', 'pkg', '.gitignore', 'forced.cfg');
    git(source, 'commit', '-qm', 'first');
    await put({ 'train.py': 'print(2)\n', 'new.py': '' });
    const taken = await shelf.take(script());
    expect(taken.code).toMatchObject({ commit: git(source, 'rev-parse', 'HEAD').trim(), changed: 2 });
    expect(taken.diff).toContain('+print(2)');
    const paths = taken.manifest.files.map(({ path }) => path);
    expect(paths).toContain('forced.cfg');
    expect(paths).not.toContain('other.cfg');
  });

  it('of a repository is cloned at a branch or commit; an absent one and a transport of its own are refused', async () => {
    git(folder, 'init', '-q', '-b', 'main', 'project');
    git(source, 'add', '.');
    git(source, 'commit', '-qm', 'first');
    const first = git(source, 'rev-parse', 'HEAD').trim();
    await put({ 'train.py': 'print(2)\n' });
    git(source, 'commit', '-qam', 'second');
    // A daemon, as git's protocols to this computer itself are not allowed.
    await using server = await serveGit(folder);
    const of = (ref?: string): Script =>
      script({
        source: { type: 'git', url: `${server.url}/project/.git`, ...(ref === undefined ? {} : { ref }) },
      });
    const newest = await shelf.take(of('main'));
    expect(newest.code.commit).toBe(git(source, 'rev-parse', 'HEAD').trim());
    expect(await readFile(join(newest.manifest.root, 'train.py'), 'utf8')).toBe('print(2)\n');
    expect((await shelf.take(of())).code).toEqual(newest.code);
    const older = await shelf.take(of(first));
    expect(older.code.commit).toBe(first);
    expect(await readFile(join(older.manifest.root, 'train.py'), 'utf8')).toBe('print(1)\n');
    expect((await refusal(shelf.take(of('nowhere')))).code).toBe('git_failed');
    const local = script({ source: { type: 'git', url: `file://${source}` } });
    expect((await refusal(shelf.take(local))).code).toBe('git_failed');
    expect((await readdir(join(folder, 'data', 'code'))).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('of a repository that wants a password is refused without a question', async () => {
    await using server = await serveRefusal();
    const error = await refusal(shelf.take(script({ source: { type: 'git', url: `${server.url}/a.git` } })));
    expect(error.code).toBe('git_needs_login');
  });
});

describe('an executable file', () => {
  const prepare = '#!/bin/sh\n';
  const isExecutable = async (path: string): Promise<boolean> => ((await stat(path)).mode & 0o111) !== 0;

  it('stays one: in what is sent, in what is kept, and in what is taken out, where all may be edited', async () => {
    await put({ 'prepare.sh': prepare });
    const plain = await shelf.take(script());
    await chmod(join(source, 'prepare.sh'), 0o755);
    const { code, manifest } = await shelf.take(script());
    expect(manifest.files.filter(({ executable }) => executable).map(({ path }) => path)).toEqual([
      'prepare.sh',
    ]);
    expect(code.hash).not.toBe(plain.code.hash);
    expect((await shelf.take(script())).code).toEqual(code);
    expect((await shelf.kept(code)).manifest.files).toEqual(manifest.files);
    expect((await shelf.kept(plain.code)).manifest.files).toEqual(plain.manifest.files);
    expect((await shelf.compare(plain.code, code)).text).toBe(
      'diff --git a/prepare.sh b/prepare.sh\nold mode 100644\nnew mode 100755\n',
    );
    const out = join(folder, 'out');
    await shelf.takeOut(code, out);
    expect((await readdir(out)).sort()).toEqual(['pkg', 'prepare.sh', 'train.py']);
    expect(await isExecutable(join(out, 'prepare.sh'))).toBe(true);
    expect(await isExecutable(join(out, 'train.py'))).toBe(false);
    expect((await stat(join(out, 'train.py'))).mode & 0o200).not.toBe(0);
  });

  it('is what git says it is, where the file system has no such mode', async () => {
    await put({ 'prepare.sh': prepare });
    git(folder, 'init', '-q', 'project');
    git(source, 'add', '.');
    git(source, 'update-index', '--chmod=+x', 'prepare.sh');
    await chmod(join(source, 'train.py'), 0o755);
    const { platform } = process;
    Object.defineProperty(process, 'platform', { value: 'win32' });
    try {
      const { manifest } = await shelf.take(script());
      expect(manifest.files.filter(({ executable }) => executable).map(({ path }) => path)).toEqual([
        'prepare.sh',
      ]);
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
    }
  });

  it('leaves the name of a version without one as it was before such files were known', async () => {
    const lines = ['pkg/model.py', 'train.py'].map((path) =>
      execFileSync('sha256sum', [path], { cwd: source, encoding: 'utf8' }),
    );
    const name = createHash('sha256').update(lines.join('')).digest('hex').slice(0, 16);
    expect((await shelf.take(script())).code.hash).toBe(name);
  });
});

describe('kept code', () => {
  it('is looked into: the text of a file, and what differs from another version', async () => {
    const first = await shelf.take(script());
    await put({ 'train.py': 'print(2)\n', 'data.bin': '\0\x01' });
    const second = await shelf.take(script());
    expect(await shelf.text(first.code, 'train.py')).toBe('print(1)\n');
    const { text } = await shelf.compare(first.code, second.code);
    expect(text).toContain('-print(1)\n+print(2)\n');
    expect(text).toContain('Binary files a/data.bin');
    expect(await shelf.compare(second.code, second.code)).toEqual({ text: '', truncated: false });
    for (const path of ['../../../secret', '/etc/hostname', 'pkg', 'absent.py', 'data.bin'])
      expect((await refusal(shelf.text(second.code, path))).code).toBe('file_unreadable');
  });

  it('that no run names is removed when it is old or there is too much of it; a shared content stays', async () => {
    const kept = join(folder, 'data', 'code');
    const day = 86_400_000;
    const take = async (text: string): Promise<string> => {
      await put({ 'train.py': text });
      return (await shelf.take(script())).code.hash;
    };
    const [old, named, large] = [
      await take('print(1)\n'),
      await take('print(2)\n'),
      await take('x'.repeat(1000)),
    ];
    const past = (days: number): Date => new Date(Date.now() - days * day);
    await utimes(join(kept, 'trees', old), past(31), past(31));
    await utimes(join(kept, 'trees', large), past(2), past(2));
    const versions = async (): Promise<string[]> => (await readdir(join(kept, 'trees'))).sort();
    const limits = { maxAgeMs: 30 * day, maxBytes: 1e9 };
    // What may be on its way into a tree stays for a day: its contents were copied just now.
    const tomorrow = Date.now() + day + 1000;
    expect(await prune(kept, new Set([old, named, large]), { maxAgeMs: 0, maxBytes: 0 }, tomorrow)).toBe(0);
    expect(await prune(kept, new Set([named]), limits)).toBe(1);
    expect(await versions()).toEqual([named, large].sort());
    expect(await prune(kept, new Set([named]), { ...limits, maxBytes: 900 }, tomorrow)).toBe(1);
    expect(await versions()).toEqual([named]);
    const second = { code: { hash: named, files: 2, bytes: 0 } };
    expect((await shelf.kept(second.code)).code).toEqual(second.code);
    expect(await keptSize(kept)).toEqual({ versions: 1, bytes: 'print(2)\nx = 1\n'.length });
  });

  it('counts repositories that were cloned, and drops those that no run fetched from for long', async () => {
    const kept = join(folder, 'data', 'code');
    const [old, recent] = ['a'.repeat(24), 'b'.repeat(24)].map((name) => join(kept, 'repositories', name));
    for (const repository of [old ?? '', recent ?? '']) {
      await mkdir(join(repository, 'objects'), { recursive: true });
      await writeFile(join(repository, 'objects', 'pack'), 'x'.repeat(500));
    }
    const day = 86_400_000;
    await utimes(old ?? '', new Date(Date.now() - 31 * day), new Date(Date.now() - 31 * day));
    const before = (await keptSize(kept)).bytes;
    expect(before).toBeGreaterThanOrEqual(1000);
    expect(await prune(kept, new Set(), { maxAgeMs: 30 * day, maxBytes: 1e9 })).toBe(1);
    expect(await readdir(join(kept, 'repositories'))).toEqual(['b'.repeat(24)]);
    expect((await keptSize(kept)).bytes).toBe(before - 500);
    const left = join(kept, 'repositories', `.${'b'.repeat(24)}-12345678`);
    await mkdir(left);
    const later = Date.now() + 2 * day;
    expect(await prune(kept, new Set(), { maxAgeMs: 30 * day, maxBytes: 1e9 })).toBe(0);
    expect(await prune(kept, new Set(), { maxAgeMs: 30 * day, maxBytes: 1e9 }, later)).toBe(1);
    expect(await readdir(join(kept, 'repositories'))).toEqual(['b'.repeat(24)]);
    expect(await prune(kept, new Set(), { maxAgeMs: 30 * day, maxBytes: 100 }, later)).toBe(1);
    expect(await readdir(join(kept, 'repositories'))).toEqual([]);
  });
});
