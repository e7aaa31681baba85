/** Which files of a folder are sent, judged by git itself. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { git } from '../transfer/testing/git-server.ts';
import { placeOf } from './git.ts';
import { listFiles } from './list-files.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-ignore-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const put = async (files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
};
const listed = async (tracked: ReadonlyMap<string, boolean> = new Map()): Promise<string[]> =>
  (await listFiles(folder, { tracked })).map(({ path }) => path);
const byGit = (from = folder): string[] =>
  git(from, 'ls-files', '-z', '--cached', '--others', '--exclude-standard')
    .split('\0')
    .filter((path) => path !== '')
    .sort();

it('a deeper ignore file takes back what one above excludes, folders too, as in git', async () => {
  await put({
    '.gitignore':
      'models\nbuild/\n*.pt\nlogs/*\n!logs/keep.txt\n/only\nsrc/gen\n\\!odd\nend \\\n**/deep/x\n[a-b].txt\n',
    'pkg/.gitignore': '!models\n!build/\n!/a.pt\nsub/no.py\n# !b.pt\n!\n/\n',
    'pkg/models/.gitignore': '!*.pt\n  \n',
    'we[i]rd*/.gitignore': '!models\n',
    'wei/rd/models/x.py': '',
    ...Object.fromEntries(
      [
        ...['models/x.py', 'pkg/models/x.py', 'pkg/models/w.pt', 'pkg/a.pt', 'pkg/b.pt', 'pkg/sub/a.pt'],
        ...['pkg/build/y.py', 'build/y.py', 'logs/a.txt', 'logs/keep.txt', 'only/z', 'pkg/only/z'],
        ...['src/gen/g.py', 'pkg/src/gen/g.py', '!odd', 'odd', 'pkg/sub/no.py', 'pkg/x/sub/no.py', 'a.txt'],
        ...['we[i]rd*/models/x.py', 'we[i]rd*/other/models/x.py', 'q/deep/x', 'pkg/deep/y', 'train.py'],
      ].map((path) => [path, '']),
    ),
  });
  git(folder, 'init', '-q');
  const expected = byGit();
  expect(expected).toContain('pkg/models/x.py');
  expect(expected).toContain('we[i]rd*/models/x.py');
  expect(await listed()).toEqual(expected);
});

it.runIf(process.platform === 'linux')('distinguishes upper and lower case as git does here', async () => {
  await put({ '.gitignore': 'models\nlib/\n', 'Models/net.py': '', 'Lib/a.py': '', 'lib/b.py': '' });
  git(folder, 'init', '-q');
  expect(await listed()).toEqual(byGit());
  expect(await listed()).toContain('Models/net.py');
});

it('.ringlabignore takes back what .gitignore excludes, and excludes what git tracks', async () => {
  await put({
    '.gitignore': 'weights/\n*.bin\n',
    '.ringlabignore': '!weights/\n/big/\n',
    'weights/a.pt': '',
    'big/x.npy': '',
    'forced.bin': '',
    'other.bin': '',
  });
  const tracked = new Map([
    ['big/x.npy', false],
    ['forced.bin', false],
  ]);
  expect(await listed(tracked)).toEqual(['.gitignore', '.ringlabignore', 'forced.bin', 'weights/a.pt']);
});

it.runIf(process.platform === 'linux')(
  'a name that is not UTF-8 is refused, unless it is excluded',
  async () => {
    await put({ 'train.py': '' });
    execFileSync('sh', ['-c', "printf x >$(printf 'caf\\351.txt')"], { cwd: folder });
    await expect(listed()).rejects.toMatchObject({ code: 'file_unreadable' });
    await put({ '.ringlabignore': 'caf*\n' });
    expect(await listed()).toEqual(['.ringlabignore', 'train.py']);
  },
);

describe('a folder of a work tree', () => {
  const listedIn = async (below: string): Promise<string[]> => {
    const from = join(folder, below);
    return (await listFiles(from, await placeOf(from))).map(({ path }) => path);
  };
  const files = {
    'a [b]/exp/.env': '',
    'a [b]/exp/ckpt.pt': '',
    'a [b]/exp/sub/ckpt.pt': '',
    'a [b]/exp/keep.pt': '',
    'a [b]/exp/wandb/x': '',
    'a [b]/exp/out/x': '',
    'a [b]/exp/forced.log': '',
    'a [b]/exp/other.log': '',
    'a [b]/exp/train.py': '',
  };

  it('is without what the ignore files above it exclude, as in git', async () => {
    await put({
      ...files,
      '.gitignore': '.env\n*.pt\n*.log\n/wandb/\n',
      'a [b]/.gitignore': '/exp/out/\n/sub/\n',
      'a [b]/exp/.gitignore': '!/keep.pt\n',
    });
    git(folder, 'init', '-q');
    git(folder, 'add', '-f', 'a [b]/exp/forced.log');
    const expected = byGit(join(folder, 'a [b]', 'exp'));
    expect(expected).toEqual(['.gitignore', 'forced.log', 'keep.pt', 'train.py', 'wandb/x']);
    expect(await listedIn('a [b]/exp')).toEqual(expected);
    await put({ 'a [b]/exp/.ringlabignore': '!.env\n' });
    expect(await listedIn('a [b]/exp')).toEqual([
      '.env',
      '.gitignore',
      '.ringlabignore',
      ...expected.slice(1),
    ]);
  });

  it('that they exclude is sent where it is chosen, without what they exclude in it', async () => {
    await put({ ...files, '.gitignore': '*\n/a*/exp/\n.env\n*.pt\n*.log\n/out/\n' });
    git(folder, 'init', '-q');
    expect(byGit(join(folder, 'a [b]', 'exp'))).toEqual([]);
    expect(await listedIn('a [b]/exp')).toEqual(['out/x', 'train.py', 'wandb/x']);
  });

  it.each([
    ['everything in it', 'scratch/*\n!scratch/.gitkeep\n*.pt\n.env\n', 'scratch'],
    ['everything below it', '/a/scratch/**\n*.pt\n.env\n', 'a/scratch'],
    ['everything below one of its name', '*.pt\n.env\n**/scratch/**\n', 'a/scratch'],
    ['everything in one above it', 'a/*\n*.pt\n.env\n', 'a/scratch/b'],
    ['everything in it, in a deeper one', '*.pt\n', 'a/scratch', 'scratch/*\n.env\n'],
  ])('is sent where it is chosen and they exclude %s', async (_, text, below, deeper = '') => {
    await put({ '.gitignore': text, 'a/.gitignore': deeper });
    for (const name of ['train.py', 'sub/model.py', 'ckpt.pt', '.env'])
      await put({ [`${below}/${name}`]: '' });
    git(folder, 'init', '-q');
    git(folder, 'add', '-f', `${below}/train.py`);
    expect(await listedIn(below)).toEqual(['sub/model.py', 'train.py']);
  });

  it('has what its submodules track, theirs too, where the ignore files around them exclude it', async () => {
    await put({
      '.gitignore': 'lib/\n*.json\n*.pt\n',
      'cfg.json': '',
      'train.py': '',
      'third/sub/.gitignore': '/own.txt\n',
      'third/sub/own.txt': '',
      'third/sub/lib/net.py': '',
      'third/sub/cfg.json': '',
      'third/sub/other.json': '',
      'third/sub/deep/inner/lib/x.py': '',
    });
    for (const [below, ...tracked] of [
      ['third/sub/deep/inner', 'lib/x.py'],
      ['third/sub', '.gitignore', 'lib/net.py', 'cfg.json', 'deep/inner'],
      ['', '.gitignore', 'train.py', 'third/sub'],
    ] as const) {
      git(join(folder, below), 'init', '-q');
      git(join(folder, below), 'add', '-f', ...tracked);
      git(join(folder, below), 'commit', '-qm', 'first');
    }
    const expected = [
      '.gitignore',
      'third/sub/.gitignore',
      'third/sub/cfg.json',
      'third/sub/deep/inner/lib/x.py',
      'third/sub/lib/net.py',
      'train.py',
    ];
    expect(await listedIn('.')).toEqual(expected);
    // Not checked out: there is nothing, and git answers for what is around it.
    await rm(join(folder, 'third/sub'), { recursive: true });
    await put({ 'third/sub/cfg.json': '' });
    expect(await listedIn('.')).toEqual(['.gitignore', 'train.py']);
  });

  it.each([
    ['at every depth', '*\n!*/\n!*.py\n'],
    ['at every depth, without Python', '*\n!*/\n!*.sh\n'],
    ['in it', 'src/*\n!src/*.py\n'],
    ['of the root', '/*\n!/src/\n*.pt\nsrc/.env\n*.log\n'],
  ])('is without what is not on their list of what git keeps %s', async (_, text) => {
    await put({ '.gitignore': text });
    for (const name of ['train.py', 'run.sh', '.env', 'key.pt', 'x.log']) await put({ [`src/${name}`]: '' });
    git(folder, 'init', '-q');
    const expected = byGit(join(folder, 'src'));
    expect(expected).not.toEqual([]);
    expect(await listedIn('src')).toEqual(expected);
  });
});
