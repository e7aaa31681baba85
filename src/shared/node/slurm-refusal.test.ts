import { expect, it } from 'vitest';
import { refusalOf } from './slurm-refusal.ts';

it.each([
  [
    'a site’s plugin, whose words Slurm ends without any',
    'sbatch: error: ==========\nsbatch: error: You must always specify a type when requesting gpu GRES\nsbatch: error: Batch job submission failed: Unspecified error\n',
    'You must always specify a type when requesting gpu GRES',
  ],
  [
    'the limit that is passed, before the general words',
    'sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job violates accounting/QOS policy\n',
    'QOSMaxSubmitJobPerUserLimit; Batch job submission failed: Job violates accounting/QOS policy',
  ],
  [
    'what a test of the job says',
    'sbatch: error: Memory specification can not be satisfied\nallocation failure: Requested node configuration is not available\n',
    'Memory specification can not be satisfied; Requested node configuration is not available',
  ],
  [
    'general words alone',
    'sbatch: error: Batch job submission failed: Unspecified error\n',
    'Batch job submission failed: Unspecified error',
  ],
  ['a line twice', 'srun: error: Invalid account\nsrun: error: Invalid account\n', 'Invalid account'],
  ['words of another form', 'No such queue\n', 'No such queue'],
  ['nothing', '', ''],
])('Slurm’s refusal is %s', (_, said, reason) => {
  expect(refusalOf(said)).toBe(reason);
});
