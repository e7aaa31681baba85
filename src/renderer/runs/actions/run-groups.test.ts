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
