import { describe, expect, it } from 'vitest';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { Point } from '../../../shared/metrics/metrics.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import { changedSince } from '../../../shared/run/script-time.ts';
import { chain } from '../../../shared/lab/topology.fixture.ts';
import { knownTimes } from './known-script.ts';

const scriptLab = (nodes: number, args = ''): LabDocument => {
  const lab = chain(nodes);
  const script = { source: { type: 'folder', path: '/code' }, file: 'train.py', arguments: args } as const;
  return { ...lab, experiment: { ...lab.experiment, script } };
};
const ended = (id: string, lab: LabDocument, createdAt: number, change: Partial<RunRecord> = {}): RunRecord =>
  runRecord(id, { lab, createdAt, startedAt: 100, endedAt: 160, state: 'finished', ...change });
const losses = (seconds: number, rank = 0, count = 6): Point[] =>
  Array.from({ length: count }, (_, step) => ({
    source: `rank-${rank}`,
    line: { v: 1, seq: step, t: 100 + step * seconds, kind: 'scalar', step, values: { loss: 1 } },
  }));
const storeOf = (
  runs: RunRecord[],
  lines: Readonly<Record<string, Point[]>>,
): Parameters<typeof knownTimes>[0] => ({
  listRuns: () => Promise.resolve(runs),
  lines: ({ runId }) => Promise.resolve(lines[runId] ?? []),
});

describe('the measured time of an own script', () => {
  it('is of its newest ended run on the same nodes, and says what that was given', async () => {
    const store = storeOf(
      [
        ended('old', scriptLab(2), 1),
        ended('new', scriptLab(2, '--lr 1'), 2),
        ended('elsewhere', scriptLab(3), 3),
        ended('active', scriptLab(2), 4, { state: 'running', endedAt: undefined }),
        ended('native', chain(2), 5),
      ],
      { old: losses(1), new: losses(2), elsewhere: losses(3), active: losses(4), native: losses(5) },
    );
    const { script, compute } = await knownTimes(store, scriptLab(2));
    expect(compute).toBeUndefined();
    expect(script).toMatchObject({ runId: 'new', secondsPerStep: 2, seconds: 60, arguments: '--lr 1' });
    expect(changedSince(scriptLab(2), script!)).toEqual(['arguments']);
    const alone = await knownTimes(store, scriptLab(4));
    expect(alone.script).toMatchObject({ runId: 'elsewhere' });
    expect(changedSince(scriptLab(4), alone.script!)).toEqual(['nodes', 'links']);
    expect((await knownTimes(store, chain(2))).script).toBeUndefined();
  });

  it('is of the rank that logs most; a stopped or resumed run counts with its steps alone', async () => {
    const store = storeOf([ended('run', scriptLab(2), 1, { state: 'stopped' })], {
      run: [...losses(9, 0, 2), ...losses(3, 1)],
    });
    const { script } = await knownTimes(store, scriptLab(2));
    expect(script).toMatchObject({ secondsPerStep: 3 });
    expect(script).not.toHaveProperty('seconds');
  });

  it('falls back to an older run where the newest says nothing', async () => {
    const failed = ended('failed', scriptLab(2), 2, { state: 'failed' });
    const store = storeOf([failed, ended('good', scriptLab(2), 1)], { good: losses(1) });
    expect((await knownTimes(store, scriptLab(2))).script?.runId).toBe('good');
    expect((await knownTimes(storeOf([failed], {}), scriptLab(2))).script).toBeUndefined();
  });
});
