import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { defaultExperiment } from '../../../shared/lab/lab.ts';
import { inScope, matches } from './run-filter.ts';

const run = (change: Partial<RunSummary> = {}): RunSummary => ({
  version: 1,
  id: 'run-1',
  name: 'Ring of three',
  labId: 'lab',
  state: 'finished',
  attempt: 1,
  createdAt: 1,
  epochsCompleted: 2,
  epochs: 2,
  step: 10,
  unreachable: {},
  badLines: 0,
  notes: 'slow link, tried again',
  nodes: 3,
  worldSize: 3,
  experiment: { ...defaultExperiment(), learningRate: 0.05 },
  ...change,
});

describe('the filter of runs', () => {
  it('finds by name, notes, state, tag and setting; all terms must match', () => {
    const one = run({ tags: ['baseline', '慢'] });
    for (const query of ['', 'ring', 'LINK', 'Finished', '#base', '慢', 'resnet18', 'lr:0.05', 'batch:96'])
      expect([query, matches(one, query, 'Finished')]).toEqual([query, true]);
    for (const query of ['vgg', '#slow', 'lr:0.1', 'ring vgg', 'ranks:4'])
      expect([query, matches(one, query, 'Finished')]).toEqual([query, false]);
  });

  it('lists archived runs separately', () => {
    const put = run({ archivedAt: 5, starred: true });
    expect((['open', 'starred', 'archived'] as const).map((scope) => inScope(put, scope))).toEqual([
      false,
      false,
      true,
    ]);
    expect(inScope(run({ starred: true }), 'starred')).toBe(true);
    expect(inScope(run(), 'starred')).toBe(false);
    expect(inScope(run(), 'open')).toBe(true);
  });
});
