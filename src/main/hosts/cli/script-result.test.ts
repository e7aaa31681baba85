/** What a script wrote, taken home from fake nodes. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LabApi, RequestArgs } from '../../../shared/contract/api.ts';
import { notFound, RinglabError } from '../../../shared/base/errors.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { broughtRecord } from './brought-files.ts';
import { saveChart } from './run-result.ts';
import { takeScriptHome } from './script-result.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'result-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('says so where a script wrote more files than a list takes', async () => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  for (const isWhole of [true, false]) {
    const listed: Pick<LabApi, 'call'> = {
      call: (name) =>
        name === 'run.written'
          ? // The answer of this request.
            Promise.resolve({ files: [], isWhole, unreached: [] } as never)
          : Promise.reject(notFound('file', name, 'r')),
    };
    stderr.mockClear();
    await takeScriptHome(listed, 'r', folder);
    const said = stderr.mock.calls.join('');
    expect(said.includes('The script wrote more files than Ringlab lists: 0')).toBe(!isWhole);
  }
  stderr.mockRestore();
});

it('names a node whose files it does not have, and goes on where the way to one breaks', async () => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const path = join(folder, 'kept');
  await writeFile(path, 'weights');
  const listed: Pick<LabApi, 'call'> = {
    call: (name, args) => {
      if (name === 'run.written')
        // The answer of this request, as below.
        return Promise.resolve({
          files: [0, 1].map((rank) => ({ rank, path: 'best.pt' })),
          isWhole: true,
          unreached: [
            { code: 'host_unreachable', params: { host: 'c', port: 22, reason: 'x' }, where: 'Clara' },
          ],
        } as never);
      if (name !== 'run.writtenFile') return Promise.reject(notFound('file', name, 'r'));
      const { rank } = args as RequestArgs<'run.writtenFile'>;
      return rank === 0
        ? Promise.reject(new RinglabError('connection_lost', { host: 'anna' }))
        : Promise.resolve({ path, name: 'best.pt', bytes: 7 } as never);
    },
  };
  const taken = await takeScriptHome(listed, 'r', join(folder, 'out'));
  const said = stderr.mock.calls.join('');
  stderr.mockRestore();
  expect(taken).toEqual([join(folder, 'out', 'rank-1', 'best.pt')]);
  expect(said).toMatch(/^Clara: .* What the script wrote there is not brought/m);
  expect(said).toMatch(/anna/);
});

it('ends where Ringlab itself has', async () => {
  const gone: Pick<LabApi, 'call'> = {
    call: () => Promise.reject(new RinglabError('connection_lost', { host: 'Ringlab' })),
  };
  await expect(takeScriptHome(gone, 'r', folder)).rejects.toMatchObject({ code: 'connection_lost' });
});

it('leaves a file that the script wrote as it is where Ringlab has one of that name', async () => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const kept = join(folder, 'kept');
  const out = join(folder, 'out');
  await mkdir(kept);
  const fileOf = async (
    name: string,
    text: string,
  ): Promise<{ path: string; name: string; bytes: number }> => {
    const path = join(kept, text);
    await writeFile(path, text);
    return { path, name, bytes: text.length };
  };
  const written = [
    { rank: 0, path: 'metrics.csv' },
    { rank: 0, path: 'ringlab-metrics.csv' },
    { rank: 0, path: 'Commands.sh' },
    { rank: 0, path: 'rank-1/log.txt' },
    { rank: 1, path: 'log.txt' },
    { rank: 2, path: 'log.txt' },
    { rank: 0, path: 'chart.svg' },
  ];
  const served: Pick<LabApi, 'call'> = {
    call: async (name, args) => {
      if (name === 'metrics.series') return [] as never;
      if (name === 'run.file') {
        const { artifact } = args as RequestArgs<'run.file'>;
        // The answer of this request, as below.
        return (await fileOf(artifact, `Ringlab ${artifact}`)) as never;
      }
      if (name === 'run.written') return { files: written, isWhole: true, unreached: [] } as never;
      const { rank, path } = args as RequestArgs<'run.writtenFile'>;
      return (await fileOf(path.split('/').at(-1) ?? '', `${rank} ${path.replaceAll('/', ' ')}`)) as never;
    },
  };
  const files = await takeScriptHome(served, 'r', out);
  const said = stderr.mock.calls.join('');
  stderr.mockRestore();
  const textOf = async (name: string): Promise<string> => readFile(join(out, name), 'utf8');
  expect(files).toHaveLength(written.length);
  for (const { rank, path } of written) {
    const place = rank === 0 ? path : `${rank === 1 ? 'ringlab-rank-1' : 'rank-2'}/${path}`;
    expect(await textOf(place)).toBe(`${rank} ${path.replaceAll('/', ' ')}`);
    expect(files).toContain(join(out, place));
  }
  expect(await textOf('ringlab-ringlab-metrics.csv')).toBe('Ringlab metrics.csv');
  expect(await textOf('ringlab-commands.sh')).toBe('Ringlab commands.sh');
  expect(await textOf('metrics.json')).toBe('Ringlab metrics.json');
  expect(said).toContain('ringlab-ringlab-metrics.csv');
  expect(await saveChart(served, runRecord('r'), out, files)).toBe(join(out, 'ringlab-chart.svg'));
  expect(await textOf('chart.svg')).toBe('0 chart.svg');
  // With the record of what was brought.
  expect(await readdir(out)).toHaveLength(12);
});

describe('what a node says that its script wrote', () => {
  /** Serves these files, each with its content. */
  const serving = (files: Readonly<Record<string, string>>): Pick<LabApi, 'call'> => ({
    call: async (name, args) => {
      if (name === 'run.file') throw notFound('file', name, 'r');
      if (name === 'run.written')
        // The answer of this request, as below.
        return {
          files: Object.keys(files).map((path) => ({ rank: 0, path })),
          isWhole: true,
          unreached: [],
        } as never;
      const { path } = args as RequestArgs<'run.writtenFile'>;
      const kept = join(folder, `kept-${Object.keys(files).indexOf(path)}`);
      await writeFile(kept, files[path] ?? '');
      return { path: kept, name: path.split('/').at(-1), bytes: 1 } as never;
    },
  });
  const taking = async (files: Readonly<Record<string, string>>, out: string) => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const taken = await takeScriptHome(serving(files), 'r', out);
      return { taken: taken.map((path) => relative(out, path)), said: stderr.mock.calls.join('') };
    } finally {
      stderr.mockRestore();
    }
  };

  it('brings no part of a repository, whatever its name is on macOS and Windows', async () => {
    const out = join(folder, 'out');
    const config = '[core]\n\tfsmonitor = id';
    const hostile = [
      ...['.git/config', 'sub/.GIT/config', 'GIT~1/config', '.git /config', '.git./config', '.git'],
      ...['.g\u200Cit/config', '.git::$INDEX_ALLOCATION/config', './.git/hooks/post-checkout', 'a/.hg/hgrc'],
    ];
    const { taken, said } = await taking(
      {
        ...Object.fromEntries(hostile.map((path) => [path, config])),
        // A bare repository needs no .git.
        ...{ 'bare/HEAD': 'ref: refs/heads/main', 'bare/config': config, 'bare/objects/x': '' },
        ...{ '.gitignore': '*.pt', 'git/notes.txt': 'x', 'model/head': 'weights' },
      },
      out,
    );
    expect(taken).toEqual(['bare/config', 'bare/objects/x', '.gitignore', 'git/notes.txt', 'model/head']);
    expect((await readdir(out)).toSorted()).toEqual(['.gitignore', broughtRecord, 'bare', 'git', 'model']);
    expect(await readdir(folder)).toEqual(['out']);
    expect(said).toMatch(/belong to a repository are not brought \(11, such as \.git\/config\)/);
  });

  it('replaces what an earlier run brought, and nothing else', async () => {
    const out = join(folder, 'out');
    await mkdir(join(out, 'pkg'), { recursive: true });
    const textOf = (name: string): Promise<string> => readFile(join(out, name), 'utf8');
    await writeFile(join(out, 'train.py'), 'mine');
    await writeFile(join(out, 'pkg', 'a.py'), 'mine');
    const first = await taking(
      { 'best.pt': '1', 'pkg/a.py': '1', 'train.py': '1', '.ringlab-brought': 'train.py' },
      out,
    );
    expect(first.taken).toEqual(['best.pt', 'pkg/ringlab-a.py', 'ringlab-train.py']);
    expect(first.said).toMatch(/are kept \(2, such as pkg\/a\.py\)/);
    const second = await taking({ 'best.pt': '2', 'ringlab-train.py': 'own 2', 'train.py': '2' }, out);
    expect(second.taken).toEqual(['best.pt', 'ringlab-train.py', 'ringlab-ringlab-train.py']);
    for (const name of ['train.py', 'pkg/a.py']) expect(await textOf(name)).toBe('mine');
    expect(await textOf('best.pt')).toBe('2');
    expect(await textOf('ringlab-train.py')).toBe('own 2');
    expect(await textOf('ringlab-ringlab-train.py')).toBe('2');
    // What the app fetched does not stay a second time.
    expect(await readdir(folder)).toEqual(['out']);
  });
});
