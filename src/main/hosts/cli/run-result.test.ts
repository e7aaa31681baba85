import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LabApi, RequestArgs } from '../../../shared/contract/api.ts';
import { emptyLab } from '../../../shared/lab/lab.ts';
import type { Series } from '../../../shared/metrics/metrics.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { scalarField } from '../../../shared/run/run-outputs.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
import { saveChart } from './run-result.ts';

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

it('says why a chart cannot be written, as of other files: the result of the run is printed all the same', async () => {
  const path = join(folder, 'chart.svg');
  await mkdir(path);
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    expect(await saveChart(api, runRecord('r'), folder)).toBeUndefined();
    expect(String(stderr.mock.calls[0]?.[0])).toContain(path);
  } finally {
    stderr.mockRestore();
  }
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
