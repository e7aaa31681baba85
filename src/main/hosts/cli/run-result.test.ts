import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LabApi, RequestArgs } from '../../../shared/contract/api.ts';
import { notFound, RinglabError } from '../../../shared/base/errors.ts';
import { emptyLab } from '../../../shared/lab/lab.ts';
import type { Series } from '../../../shared/metrics/metrics.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { scalarField } from '../../../shared/run/run-outputs.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
import { saveChart, takeScriptHome } from './run-result.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'result-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Rank 0 evaluated at step 10, rank 1 at step 20. */
const api: Pick<LabApi, 'call'> = {
  call: (name, args) => {
    if (name !== 'metrics.series') throw new Error(name);
    const query = args as RequestArgs<'metrics.series'>;
    const answer = query.series.map((key): Series => {
      const isOwn = key.kind === 'eval' && key.field === 'top1';
      const x = isOwn ? [key.source === 'rank-0' ? 10 : 20] : [];
      return { key, x, y: x.map(() => 50), total: x.length, newest: 0 };
    });
    // The only request that is made; its result is an array of series.
    return Promise.resolve(answer as never);
  },
};

it('draws the accuracy that rank 0 measured until it was lost, then that of the rank that took its part', async () => {
  const memberships = [{ generation: 1, t: 5, step: 12, ranks: [1], lost: [0] }];
  const curveOf = async (run: Parameters<typeof saveChart>[1]): Promise<string | undefined> =>
    / d="([^"]*)" fill="none"/.exec(await readFile((await saveChart(api, run, folder))!, 'utf8'))?.[1];
  expect(await curveOf(runRecord('r'))).toMatch(/^M[\d.]+ [\d.]+$/);
  expect(await curveOf(runRecord('r', { memberships }))).toMatch(/^M[\d.]+ [\d.]+L[\d.]+ [\d.]+$/);
});

it('draws the scalars of an own script, which has neither loss nor accuracy of the trainer', async () => {
  const lab = emptyLab('l', 'L');
  lab.experiment.script = { source: { type: 'folder', path: '/x' }, file: 'train.py', arguments: '' };
  const rank: RankRecord = {
    ...{
      rank: 0,
      nodeId: 'n',
      nodeName: 'N',
      localRank: 0,
      state: 'done',
      argv: [],
      env: {},
      directory: '/',
    },
  };
  const run = runRecord('r', { name: 'My GPT run', lab, ranks: [rank] });
  const scalars = [{ name: 'val/loss', ranks: [{ rank: 0, points: 3, steps: 3, epochs: 0 }] }];
  const served = (found: typeof scalars): Pick<LabApi, 'call'> => ({
    call: (name, args) => {
      if (name === 'run.outputs') return Promise.resolve({ scalars: found } as never);
      const query = args as RequestArgs<'metrics.series'>;
      const answer = query.series.map((key): Series => {
        const x = key.kind === 'scalar' && key.field === scalarField('val/loss') ? [0, 1, 2] : [];
        return { key, x, y: x.map(() => 50), total: x.length, newest: 2 };
      });
      return Promise.resolve(answer as never);
    },
  });
  const path = await saveChart(served(scalars), run, folder);
  expect(path).toBe(join(folder, 'chart.svg'));
  const svg = await readFile(path!, 'utf8');
  expect(svg).toContain('>val/loss<');
  expect(svg.match(/ d="M/g)).toHaveLength(1);
  expect(svg).not.toContain('resnet18');
  await rm(path!);
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(await saveChart(served([]), run, folder)).toBeUndefined();
  expect(stderr.mock.calls.join('')).toContain('the script wrote no scalars');
  stderr.mockRestore();
  expect(await readdir(folder)).toEqual([]);
});

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
      if (name === 'metrics.series') return api.call(name, args);
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
  expect(await readdir(out)).toHaveLength(11);
});
