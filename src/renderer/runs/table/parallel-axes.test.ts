import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { emptyLab, type Experiment } from '../../../shared/lab/lab.ts';
import { differing } from '../../../shared/run/run-settings.ts';
import { axesOf, axisOf, keptBy } from './parallel-axes.ts';

const { experiment } = emptyLab('l', 'L');
const run = (id: string, change: Partial<Experiment>, more: Partial<RunSummary> = {}): RunSummary => ({
  version: 1,
  id,
  name: id,
  labId: 'l',
  state: 'finished',
  attempt: 1,
  createdAt: 0,
  startedAt: 0,
  endedAt: 10,
  epochsCompleted: 1,
  epochs: 1,
  step: 1,
  unreachable: {},
  badLines: 0,
  notes: '',
  nodes: 1,
  worldSize: 1,
  experiment: { ...experiment, ...change },
  ...more,
});
const runs = [
  run('a', { learningRate: 0.001, sync: 'allreduce' }, { bestTop1: 50, loss: 2, endedAt: 20 }),
  run('b', { learningRate: 0.01, sync: 'fp16' }, { bestTop1: 70, loss: 1 }),
  run('c', { learningRate: 0.1, sync: 'fp16' }, { bestTop1: 90, loss: null }),
];

const withArguments = (text: string): RunSummary =>
  run(text, { script: { source: { type: 'folder', path: '/c' }, file: 'train.py', arguments: text } });

describe('parallel coordinates', () => {
  it('have an axis for each setting that differs, and for each result', () => {
    const axes = axesOf(runs, differing(runs));
    expect(axes.map(({ name }) => name)).toEqual(['sync', 'learningRate', 'took', 'loss', 'best']);
    expect(axesOf([run('x', {})], new Set()).map(({ name }) => name)).toEqual(['took']);
  });

  it('place numbers by value, over several decades by logarithm, and texts evenly', () => {
    const places = (name: Parameters<typeof axisOf>[1]) => runs.map((one) => axisOf(runs, name).placeOf(one));
    expect(places('best')).toEqual([0, 0.5, 1]);
    expect(places('learningRate').map((at) => at?.toFixed(3))).toEqual(['0.000', '0.500', '1.000']);
    expect(places('sync')).toEqual([0, 1, 1]);
    expect(places('loss')).toEqual([1, 0, undefined]);
    expect(axisOf(runs, 'best').valueAt(0.25)).toBe(60);
    expect(axisOf(runs, 'sync').ticks.map(({ value }) => value)).toEqual(['allreduce', 'fp16']);
    expect(axisOf(runs, 'epochs').placeOf(runs[0] ?? run('x', {}))).toBe(0.5);
  });

  it('place options of scripts by value, with however many digits they were drawn', () => {
    const found = ['0.1', '0.0047619047619047619', '0.005'].map((lr) => withArguments(`--lr ${lr}`));
    const { placeOf, ticks } = axisOf(found, '--lr');
    expect(found.map(placeOf).map((at) => at?.toFixed(3))).toEqual(['1.000', '0.000', '0.003']);
    expect(ticks.at(-1)?.value).toBe(0.1);
  });

  it('have no overlapping labels', () => {
    const close = [60, 60.5, 61, 75, 99.5, 100].map((bestTop1, index) => run(`r${index}`, {}, { bestTop1 }));
    expect(axisOf(close, 'best').ticks.map(({ value }) => value)).toEqual([60, 75, 100]);
    const names = Array.from({ length: 40 }, (_, n) => withArguments(`--name v${n}`));
    const { ticks } = axisOf(names, '--name');
    expect(ticks.length).toBeLessThan(16);
    expect([ticks[0]?.value, ticks.at(-1)?.value]).toEqual(['v0', 'v39']);
  });

  it('keep runs inside every brush, and none without a value there', () => {
    const axes = axesOf(runs, differing(runs));
    const ids = (brushes: Parameters<typeof keptBy>[2]) => keptBy(runs, axes, brushes).map(({ id }) => id);
    expect(ids(new Map())).toEqual(['a', 'b', 'c']);
    expect(ids(new Map([['best', { from: 0.5, to: 1 }]]))).toEqual(['b', 'c']);
    expect(
      ids(
        new Map([
          ['best', { from: 0.5, to: 1 }],
          ['loss', { from: 0, to: 1 }],
        ]),
      ),
    ).toEqual(['b']);
  });
});
