/** Repositories of own scripts: several takes at once, what a power cut leaves, and submodules. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { request as forward } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Script } from '../../shared/lab/script.ts';
import { createCodeShelf, type CodeShelf } from './index.ts';
import { git, serve, serveGit, serveGitItself, type Served } from '../transfer/testing/git-server.ts';

let folder: string;
let code: string;
let shelf: CodeShelf;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-clone-'));
  code = join(folder, 'data', 'code');
  shelf = createCodeShelf(code, folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  return rm(folder, { recursive: true, force: true });
});

/** A repository of these files in its branch `main`. */
async function repository(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const root = join(folder, name);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  git(folder, 'init', '-q', '-b', 'main', name);
  git(root, 'add', '-f', '.');
  git(root, 'commit', '-qm', 'first');
  return root;
}
const scriptOf = (url: string, ref?: string): Script => ({
  source: { type: 'git', url, ...(ref === undefined ? {} : { ref }) },
  file: 'train.py',
  arguments: '',
});
const trained = async (from: CodeShelf, url: string, ref: string): Promise<string> => {
  const { manifest } = await from.take(scriptOf(url, ref));
  return await readFile(join(manifest.root, 'train.py'), 'utf8');
};

describe('a repository', () => {
  let url: string;
  let server: Served;
  let root: string;
  beforeEach(async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}.txt`, `${index}`]));
    root = await repository('project', { ...many, 'train.py': 'main' });
    git(root, 'checkout', '-q', '-b', 'dev');
    await writeFile(join(root, 'train.py'), 'dev');
    git(root, 'commit', '-qam', 'dev');
    server = await serveGit(folder);
    url = `${server.url}/project/.git`;
  });
  afterEach(() => server[Symbol.asyncDispose]());

  it('taken at two branches at once gives each its own', async () => {
    for (let round = 0; round < 2; round += 1) {
      const both = await Promise.all([trained(shelf, url, 'main'), trained(shelf, url, 'dev')]);
      expect(both).toEqual(['main', 'dev']);
    }
    expect(await readdir(join(code, 'repositories'))).toHaveLength(1);
  });

  it('gives what it tracks in spite of its .gitignore, and executable what is so in it', async () => {
    await writeFile(join(root, '.gitignore'), '*.cfg');
    await writeFile(join(root, 'forced.cfg'), '');
    git(root, 'add', '-f', '.');
    git(root, 'update-index', '--chmod=+x', 'f1.txt');
    git(root, 'commit', '-qm', 'with a forced file');
    git(root, 'update-server-info');
    const { manifest } = await shelf.take(scriptOf(url, 'dev'));
    expect(manifest.files.map(({ path }) => path)).toContain('forced.cfg');
    expect(manifest.files.filter(({ executable }) => executable)).toMatchObject([{ path: 'f1.txt' }]);
  });

  it('taken by another process at the same time, too', async () => {
    // Another copy of the module knows nothing of this one's queue.
    vi.resetModules();
    const { createCodeShelf: another } = await import('./index.ts');
    for (let round = 0; round < 2; round += 1) {
      const both = [trained(shelf, url, 'main'), trained(another(code, folder), url, 'dev')];
      expect(await Promise.all(both)).toEqual(['main', 'dev']);
    }
    expect(await readdir(join(code, 'repositories'))).toHaveLength(1);
  });

  it('that a killed git left locked, or a power cut damaged, is fetched anew', async () => {
    expect(await trained(shelf, url, 'main')).toBe('main');
    const [name = ''] = await readdir(join(code, 'repositories'));
    const kept = join(code, 'repositories', name);
    for (const lock of ['index.lock', 'shallow.lock', 'HEAD.lock', 'config.lock'])
      await writeFile(join(kept, lock), '');
    expect(await trained(shelf, url, 'main')).toBe('main');
    for (const entry of await readdir(join(kept, 'objects'), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) {
        await rm(join(entry.parentPath, entry.name));
        await writeFile(join(entry.parentPath, entry.name), '');
      }
    expect(await trained(shelf, url, 'main')).toBe('main');
    await truncate(join(kept, 'config'), 3);
    expect(await trained(shelf, url, 'dev')).toBe('dev');
    expect(await readdir(join(code, 'repositories'))).toEqual([name]);
  });

  it('that was fetched without its history gives an older commit by the seven digits that are shown of it', async () => {
    await using whole = await serveGitItself(folder);
    const older = git(root, 'rev-parse', 'HEAD').trim();
    for (const text of ['newer', 'newest']) {
      await writeFile(join(root, 'train.py'), text);
      git(root, 'commit', '-qam', text);
    }
    const address = `${whole.url}/project/.git`;
    expect(await trained(shelf, address, 'dev')).toBe('newest');
    expect(await trained(shelf, address, older.slice(0, 7))).toBe('dev');
  });

  it('stays as it is where the way breaks in the middle of an object', async () => {
    await using whole = await serveGitItself(folder);
    let breaks = false;
    await using broken = await serve((request, response) => {
      const out = forward(`${whole.url}${request.url}`, { method: request.method, headers: request.headers });
      out.on('response', (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => {
          const said = Buffer.concat(parts);
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          if (!breaks || !said.includes('PACK')) return response.end(said);
          return response.write(said.subarray(0, said.length / 2), () => response.destroy());
        });
      });
      request.pipe(out);
    });
    const address = `${broken.url}/project/.git`;
    expect(await trained(shelf, address, 'main')).toBe('main');
    const [name = ''] = await readdir(join(code, 'repositories'));
    await writeFile(join(code, 'repositories', name, 'kept'), '');
    breaks = true;
    await writeFile(join(root, 'large.bin'), randomBytes(200_000));
    git(root, 'add', '-f', '.');
    git(root, 'commit', '-qm', 'large');
    await expect(trained(shelf, address, 'dev')).rejects.toMatchObject({ code: 'git_failed' });
    expect(await readdir(join(code, 'repositories', name))).toContain('kept');
  });

  it.each([
    ['[safe]\n\tbareRepository = explicit\n', undefined],
    ['[init]\n\tdefaultObjectFormat = sha256\n', 'sha256'],
  ])('is taken whatever the user has set up for their own: %j', async (settings, hash) => {
    await writeFile(join(folder, 'settings'), settings);
    vi.stubEnv('GIT_CONFIG_GLOBAL', join(folder, 'settings'));
    vi.stubEnv('GIT_DEFAULT_HASH', hash);
    for (let round = 0; round < 2; round += 1) expect(await trained(shelf, url, 'main')).toBe('main');
  });

  it('is taken where its hashes are SHA-256, and where it was made anew with other hashes', async () => {
    await using own = await serveGitItself(folder);
    const address = `${own.url}/other/.git`;
    for (const format of ['sha256', 'sha1', 'sha256']) {
      const other = join(folder, 'other');
      await rm(other, { recursive: true, force: true });
      git(folder, 'init', '-q', '-b', 'main', `--object-format=${format}`, 'other');
      await writeFile(join(other, 'train.py'), format);
      git(other, 'add', '.');
      git(other, 'commit', '-qm', 'first');
      for (let round = 0; round < 2; round += 1) expect(await trained(shelf, address, 'main')).toBe(format);
    }
  });

  it('that does not have the branch stays as it is', async () => {
    await trained(shelf, url, 'main');
    const [name = ''] = await readdir(join(code, 'repositories'));
    await writeFile(join(code, 'repositories', name, 'kept'), '');
    await expect(trained(shelf, url, 'absent')).rejects.toMatchObject({ code: 'git_failed' });
    expect(await readdir(join(code, 'repositories', name))).toContain('kept');
  });
});

describe('submodules', () => {
  /** As `git submodule add` writes it; that would clone over the network. */
  const add = async (to: string, path: string, from: string, address: string, more = ''): Promise<void> => {
    const text = `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${address}\n${more}`;
    await writeFile(join(to, '.gitmodules'), text, { flag: 'a' });
    git(to, 'add', '.gitmodules');
    git(
      to,
      'update-index',
      '--add',
      '--cacheinfo',
      `160000,${git(from, 'rev-parse', 'HEAD').trim()},${path}`,
    );
  };

  it('are fetched at the commits that the repository names, theirs too; those that cannot be are left out, also any of this computer itself', async () => {
    const [inner, library, project] = [
      await repository('inner', { 'deep.py': 'deep' }),
      await repository('library', { 'lib.py': 'old', 'weights.pt': 'w' }),
      await repository('project', { 'train.py': 'main', '.gitignore': '*.pt\n' }),
    ];
    await using server = await serveGit(folder, ['inner', 'library', 'project']);
    await add(library, 'third/inner', inner, `${server.url}/inner/.git`);
    git(library, 'commit', '-qm', 'with inner');
    await add(project, 'libs/library', library, '../../library/.git');
    await add(project, 'unused', inner, `${server.url}/absent/.git`, '\tupdate = none\n');
    git(
      project,
      'update-index',
      '--add',
      '--cacheinfo',
      `160000,${git(inner, 'rev-parse', 'HEAD').trim()},lost`,
    );
    git(project, 'commit', '-qm', 'with library');
    await writeFile(join(library, 'lib.py'), 'new');
    git(library, 'commit', '-qam', 'newer');
    for (const root of [library, project]) git(root, 'update-server-info');

    let said = '';
    const log = (line: unknown): void => void (said += JSON.stringify(line));
    const { manifest } = await shelf.take(scriptOf(`${server.url}/project/.git`), { log });
    const texts = await Promise.all(
      ['libs/library/lib.py', 'libs/library/third/inner/deep.py', 'libs/library/weights.pt'].map((path) =>
        readFile(join(manifest.root, path), 'utf8'),
      ),
    );
    expect(texts).toEqual(['old', 'deep', 'w']);
    for (const path of ['lost', 'unused']) expect(said).toContain(`the submodule ${path} is left out`);

    await add(project, 'local', inner, `file://${inner}`);
    const secret = `${server.url.replace('//', '//oauth2:SECRET-TOKEN@')}/absent/.git`;
    await add(project, 'private', inner, secret);
    git(project, 'commit', '-qm', 'with some that cannot be fetched');
    git(project, 'update-server-info');
    const more = await shelf.take(scriptOf(`${server.url}/project/.git`), { log });
    expect(more.manifest.files.map(({ path }) => path)).toEqual(manifest.files.map(({ path }) => path));
    for (const [path, address] of [
      ['local', `file://${inner}`],
      ['private', `${server.url}/absent/.git`],
    ] as const)
      expect(said).toContain(`the submodule ${path} is left out, since ${address} cannot be fetched:`);
    expect(said).not.toContain('SECRET-TOKEN');

    await using broken = await serve((request) => request.destroy());
    await add(project, 'far', inner, `${broken.url}/far/.git`);
    git(project, 'commit', '-qm', 'with one whose server breaks off');
    git(project, 'update-server-info');
    await expect(shelf.take(scriptOf(`${server.url}/project/.git`))).rejects.toMatchObject({
      code: 'git_failed',
      params: { url: `${broken.url}/far/.git` },
    });
  });

  /** OpenSSH's words for a key that it does not know, with those before them. */
  const unknownKey = (before = ''): string =>
    `#!/bin/sh\necho "${before}" >&2\necho "Host key verification failed." >&2\nexit 255\n`;
  it.each([
    ['does not know it', 404, '', true],
    ['asks to come later', 429, '', false],
    ['has waited too long', 408, '', false],
    ['is not reached through the proxy', 407, '', false],
    ['has a key that this computer has never seen', 0, unknownKey(), true],
    ['has another key than before', 0, unknownKey('WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!'), false],
  ])(
    'whose server %s are left out only where a later try would not have them',
    async (_, status, ssh, out) => {
      const [inner, project] = [
        await repository('inner', { 'deep.py': 'deep' }),
        await repository('project', { 'train.py': 'main' }),
      ];
      await using other = await serve((_request, response) => response.writeHead(status).end());
      await writeFile(join(folder, 'ssh'), ssh, { mode: 0o755 });
      vi.stubEnv('GIT_SSH_COMMAND', join(folder, 'ssh'));
      const address = status === 0 ? 'git@example.org:some/inner.git' : `${other.url}/inner/.git`;
      await add(project, 'sub', inner, address);
      git(project, 'commit', '-qm', 'with one of elsewhere');
      await using server = await serveGit(folder, ['project']);
      const taken = shelf.take(scriptOf(`${server.url}/project/.git`));
      if (out) expect((await taken).manifest.files.map(({ path }) => path)).toContain('train.py');
      else {
        await expect(taken).rejects.toMatchObject({ code: 'git_failed', params: { url: address } });
        await expect(taken).rejects.toThrow(/said=.*(Host key verification failed|returned error: 4)/);
      }
    },
  );
});
