import { describe, expect, it } from 'vitest';
import { emptyLab, type Experiment } from '../../../shared/lab/lab.ts';
import { distinctNames } from './run-names.ts';

const { experiment } = emptyLab('lab', 'Lab');
const run = (name: string, change: Partial<Experiment> = {}) => ({
  ...{ name, nodes: 3, worldSize: 3 },
  experiment: { ...experiment, ...change },
});
const format = (_: string, value: string | number): string => String(value);

describe('names of runs side by side', () => {
  it('stay as they are if they differ', () => {
    expect(distinctNames([run('a'), run('b', { sync: 'fp16' })], format)).toEqual(['a', 'b']);
  });

  it('add other differences if they are equal, at most two settings', () => {
    const runs = [
      run('a', { sync: 'allreduce' }),
      run('a', { sync: 'local:8', seed: 2, workers: 3 }),
      run('b'),
    ];
    expect(distinctNames(runs, format)).toEqual(['a · allreduce, 1', 'a · local:8, 2', 'b']);
  });

  it('omit a common prefix, as of a sweep’s runs', () => {
    const runs = [
      run('Lab · parallel dp'),
      run('Lab · parallel ddp'),
      run('Lab · parallel ddp', { seed: 5 }),
    ];
    expect(distinctNames(runs, format)).toEqual(['parallel dp', 'parallel ddp · 1', 'parallel ddp · 5']);
    expect(distinctNames([run('Lab'), run('Lab · parallel dp')], format)).toEqual([
      'Lab',
      'Lab · parallel dp',
    ]);
    expect(distinctNames([run('Lab · parallel dp')], format)).toEqual(['Lab · parallel dp']);
  });

  it('are never the same, also where a run is called as another one with its difference', () => {
    const names = distinctNames([run('a'), run('a', { seed: 2 }), run('a · 1'), run('a · 2')], format);
    expect(names).toEqual(['1 · #1', '2 · #1', '1 · #2', '2 · #2']);
    expect(new Set(distinctNames([run('a'), run('a'), run('a · #1')], format)).size).toBe(3);
  });

  it('are numbered if nothing differs', () => {
    const runs = [run('a'), run('a'), run('a', { seed: 7 })];
    expect(distinctNames(runs, format)).toEqual(['1 · #1', '1 · #2', '7']);
  });
});
