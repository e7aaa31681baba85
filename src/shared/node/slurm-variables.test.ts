import { describe, expect, it } from 'vitest';
import { withoutOverrides } from './slurm-variables.ts';

const unset = (...lines: string[]): string[] =>
  withoutOverrides(['#!/bin/sh', ...lines, 'srun --partition=x'].join('\n'))
    .split('\n')[0]!
    .split(' ')
    .slice(1);

describe('variables of the user’s own before sbatch', () => {
  it('do not name, multiply, hold or share out the job', () => {
    const [name, array, wait, gres] = ['SBATCH_JOB_NAME', 'SBATCH_ARRAY_INX', 'SBATCH_WAIT', 'SBATCH_GRES'];
    // `squeue` and `scancel` would ask another cluster.
    expect(unset()).toEqual(expect.arrayContaining([name, array, wait, gres, 'SBATCH_CLUSTERS']));
  });

  it('count where the lab leaves something to them', () => {
    for (const name of ['PARTITION', 'ACCOUNT', 'QOS', 'TIMELIMIT', 'CONSTRAINT'])
      expect(unset('#SBATCH --nodes=2', '#SBATCH --partitions')).not.toContain(`SBATCH_${name}`);
  });

  it.each([
    ['#SBATCH --partition=gpu', 'PARTITION'],
    ['#SBATCH -pgpu', 'PARTITION'],
    ['#SBATCH --mem=5G -A lab', 'ACCOUNT'],
    ['#SBATCH --time=5', 'TIMELIMIT'],
    ['#SBATCH --exclusive', 'EXCLUSIVE'],
  ])('lose against the lab’s own: %s', (line, name) => {
    expect(unset(line)).toContain(`SBATCH_${name}`);
  });
});
