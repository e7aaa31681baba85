import { expect, test } from 'vitest';
import type { MetricLine } from '../../../shared/metrics/metrics.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { showProgress } from './progress.ts';

test('where ranks are lost and the others go on, it says so once, and shows the validations of the rank that has rank 0’s part', () => {
  let written = '';
  const progress = showProgress({ runId: 'r', labId: 'lab' }, (text) => (written += text), false);
  const taken = (): string => {
    const text = written;
    written = '';
    return text;
  };
  const changed = (run: RunRecord): void => progress.onEvent({ seq: 0, name: 'run.changed', data: { run } });
  const points = (rank: number, ...lines: MetricLine[]): void =>
    progress.onEvent({
      seq: 0,
      name: 'run.points',
      data: { runId: 'r', points: lines.map((line) => ({ source: `rank-${rank}`, line })), truncated: false },
    });
  const evaluated = (epoch: number): MetricLine => ({
    v: 1,
    seq: epoch,
    t: epoch,
    kind: 'eval',
    epoch,
    top1: 50,
    top5: 90,
    loss: 1,
  });
  const ranks = ['anna', 'bert', 'cora'].map((nodeName, rank) => ({
    rank,
    nodeId: `n${rank}`,
    nodeName,
    state: 'running' as const,
    localRank: 0,
    argv: [],
    env: {},
    directory: '',
  }));
  const run = runRecord('r', { ranks });
  changed(run);
  points(0, evaluated(0));
  expect(taken()).toMatch(/epoch 1: validation top-1 50/);
  points(1, evaluated(0));
  expect(taken()).toBe('');
  const fewer = { ...run, memberships: [{ generation: 1, t: 1, step: 9, ranks: [1, 2], lost: [0] }] };
  changed(fewer);
  changed({ ...fewer, step: 12 });
  expect(taken()).toBe('anna was lost: training goes on with 2 of 3 ranks.\n');
  points(1, evaluated(1));
  expect(taken()).toMatch(/epoch 2: validation top-1 50/);
  points(2, evaluated(1));
  expect(taken()).toBe('');
});
