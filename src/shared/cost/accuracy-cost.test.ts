import { describe, expect, it } from 'vitest';
import { accuracyCost } from './accuracy-cost.ts';
import { maxBits } from './auto-sync.ts';

describe('what a mode costs in accuracy', () => {
  it('is the measured loss for the mode and for those that send more of the same', () => {
    expect(accuracyCost('allreduce')).toEqual({ kind: 'exact' });
    for (const sync of [
      'local:1,stream=0.145,overlap=1',
      `local:1,stream=${maxBits},overlap=1,adapt=${maxBits}`,
    ])
      expect(accuracyCost(sync)).toMatchObject({
        kind: 'measured',
        points: 0,
        by: { task: 'hard', seeds: 3 },
      });
    expect(accuracyCost('local:3')).toMatchObject({ points: 5 });
    expect(accuracyCost('local:8')).toMatchObject({ points: 25.1 });
    expect(accuracyCost('local:7,sparse=0.45')).toMatchObject({ points: 28.7, by: { task: 'hard' } });
    expect(accuracyCost('powersgd:4')).toMatchObject({ points: 1, by: { task: 'easy' } });
  });

  it('is not known for what sends less than was measured', () => {
    for (const sync of [
      'local:1,stream=0.12,overlap=1',
      'local:2,stream=0.145,overlap=2',
      'powersgd:1',
      'topk',
      'diloco:8',
    ])
      expect(accuracyCost(sync), sync).toEqual({ kind: 'not_measured' });
    expect(accuracyCost('auto')).toBeUndefined();
    expect(accuracyCost('ring')).toBeUndefined();
  });
});
