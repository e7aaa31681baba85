/** For tests: a run's record. */
import { emptyLab } from '../lab/lab.ts';
import type { RunRecord } from './run.ts';

export const runRecord = (id: string, change: Partial<RunRecord> = {}): RunRecord => ({
  version: 1,
  id,
  name: `run ${id}`,
  labId: 'lab',
  lab: emptyLab('lab', 'Lab'),
  state: 'running',
  attempt: 1,
  createdAt: 1_700_000_000,
  epochsCompleted: 0,
  epochs: 3,
  step: 0,
  ranks: [],
  unreachable: {},
  badLines: 0,
  notes: '',
  ...change,
});
