import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { defaultExperiment } from '../../../shared/lab/lab.ts';
import type { RunScalarValues } from '../../../shared/run/scalar-values.ts';
import { comparedNames, inScope, matches } from './run-filter.ts';

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

  it('finds a number however it is written', () => {
    const one = run({ experiment: { ...defaultExperiment(), learningRate: 0.001 } });
    for (const query of ['lr:1e-3', 'lr:0.0010', 'lr:.001', 'lr:1E-3', 'lr=1e-3'])
      expect([query, matches(one, query, 'Finished')]).toEqual([query, true]);
    for (const query of ['lr:', 'lr:1e-4', 'lr:0'])
      expect([query, matches(one, query, 'Finished')]).toEqual([query, false]);
  });

  it('compares results, settings, options of scripts and scalars with numbers', () => {
    const trained = run({ bestTop1: 71, startedAt: 1, endedAt: 61 });
    const kept = (one: RunSummary, query: string, scalars?: RunScalarValues): boolean =>
      matches(one, query, 'Finished', scalars);
    for (const query of ['best>70', 'lr<=0.05', 'took<100', 'ranks=3', 'best>70 ring'])
      expect([query, kept(trained, query)]).toEqual([query, true]);
    for (const query of ['best>71', 'lr<0.05', 'unknown>0'])
      expect([query, kept(trained, query)]).toEqual([query, false]);
    const scripted = run({
      experiment: {
        ...defaultExperiment(),
        script: {
          source: { type: 'folder', path: '/c' },
          file: 'train.py',
          arguments: '--lr 0.2 --decay 0.0047619047619047619',
        },
      },
    });
    const scalars: RunScalarValues = {
      runId: 'run-1',
      names: ['Val/Loss'],
      values: { 'Val/Loss': { final: 0.6, lowest: 0.4, highest: 2 } },
    };
    for (const query of [
      'val/loss>0.5',
      'min:val/loss<0.5',
      'max:val/loss>=2',
      'lr>0.1',
      'decay<0.005',
      '--lr:0.2',
      'lr:0.2',
    ])
      expect([query, kept(scripted, query, scalars)]).toEqual([query, true]);
    for (const query of ['val/loss<0.5', 'batch>1', 'resnet18'])
      expect([query, kept(scripted, query, scalars)]).toEqual([query, false]);
    expect(kept(scripted, 'val/loss>0.5')).toBe(false);
    expect(comparedNames('ring Val/Loss<1 min:x>2 a:b')).toEqual(['val/loss', 'x']);
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
