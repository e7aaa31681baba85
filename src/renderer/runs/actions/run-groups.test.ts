import { describe, expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import type { Experiment } from '../../../shared/lab/lab.ts';
import { groupings, groupRuns, spreadOf } from './run-groups.ts';

const { experiment } = emptyLab('l', 'L');
const run = (change: Partial<Experiment>) => ({
  experiment: { ...experiment, ...change },
  nodes: 1,
  worldSize: 1,
});
const sweep = [0.1, 0.02].flatMap((learningRate) => [1, 2, 3].map((seed) => run({ learningRate, seed })));

describe('groups of runs', () => {
  it('of the same settings with other seeds are named by the settings that differ', () => {
    const groups = groupRuns(sweep, 'seed');
    expect(groups.map(({ runs, distinct }) => [runs.length, distinct])).toEqual([
      [3, [{ setting: 'learningRate', value: 0.1 }]],
      [3, [{ setting: 'learningRate', value: 0.02 }]],
    ]);
    expect(groupRuns(sweep.slice(0, 3), 'seed')[0]?.distinct).toEqual([]);
  });

  it('of scripts compare every word but the seed', () => {
    const script = (words: string) =>
      run({ script: { source: { type: 'folder', path: '/s' }, file: 'train.py', arguments: words } });
    const of = (by: '--seed' | 'arguments', ...words: string[]) =>
      groupRuns(words.map(script), by).map(({ runs, distinct }) => [
        runs.length,
        ...distinct.map(({ value }) => value),
      ]);
    const seeds = (words: string): string[] => [`--seed 1 ${words}`, `--seed 2 ${words}`];
    expect(of('--seed', ...seeds('resnet50'), ...seeds('vit'))).toEqual([
      [2, 'resnet50'],
      [2, 'vit'],
    ]);
    expect(of('--seed', ...seeds('lr=0.1'), ...seeds('lr=0.2'))).toEqual([
      [2, 'lr=0.1'],
      [2, 'lr=0.2'],
    ]);
    expect(of('--seed', ...seeds('--betas 0.9 0.999'), ...seeds('--betas 0.9 0.95'))).toEqual([
      [2, '0.9 0.999'],
      [2, '0.9 0.95'],
    ]);
    expect(of('arguments', ...seeds('resnet50'), ...seeds('vit'), '--seed 3')).toEqual([
      [2, 'resnet50'],
      [2, 'vit'],
      [1, '–'],
    ]);
  });

  it('by a setting have each value once, whatever else differs', () => {
    const groups = groupRuns([...sweep, run({ learningRate: 0.1, batchSize: 7 })], 'learningRate');
    expect(groups.map(({ runs }) => runs.length)).toEqual([4, 3]);
  });

  it('are offered only for settings that differ', () => {
    expect(groupings(sweep)).toEqual(['learningRate', 'seed']);
    expect(groupings(sweep.slice(0, 1))).toEqual([]);
  });

  it('have a mean and a deviation for two or more values', () => {
    expect(spreadOf([60, 64, undefined, 68])).toEqual({ mean: 64, deviation: 4, count: 3 });
    expect(spreadOf([60, undefined])).toEqual({ mean: 60, deviation: undefined, count: 1 });
    expect(spreadOf([0.7, 0.7, 0.7 + 1e-9])?.deviation).toBeUndefined();
    expect(spreadOf([undefined, Number.NaN])).toBeUndefined();
  });
});
