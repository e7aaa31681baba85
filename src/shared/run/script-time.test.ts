/** Tests of the time of a script's step, as earlier runs measured it. */
import { describe, expect, it } from 'vitest';
import type { MetricLine } from '../metrics/metrics.ts';
import { emptyLab, type LabDocument } from '../lab/lab.ts';
import type { Script } from '../lab/script.ts';
import { chain } from '../lab/topology.fixture.ts';
import { changedSince, givenTo, scriptKey, scriptPace } from './script-time.ts';

let seq = 0;
const line = (t: number, fields: object, kind = 'scalar'): MetricLine => ({
  v: 1,
  seq: (seq += 1),
  t,
  kind,
  ...fields,
});
const losses = (times: readonly (readonly [t: number, step: number])[], name = 'loss'): MetricLine[] =>
  times.map(([t, step]) => line(t, { step, values: { [name]: 1 } }));

describe('the time of a script’s step', () => {
  it('is the median between logged steps: neither the warm-up nor an evaluation between two counts', () => {
    const times = [
      [0, 0],
      [90, 10],
      [92, 20],
      [94, 30],
      [154, 40],
      [156, 50],
      [158, 60],
    ] as const;
    expect(scriptPace(losses(times))).toEqual({ secondsPerStep: 0.2 });
  });

  it('counts lines that were read at once as one, and begins anew where an attempt does', () => {
    const bursts = [
      [0, 1],
      [0, 2],
      [0, 3],
      [3, 4],
      [3, 5],
      [3, 6],
      [6, 8],
      [6, 9],
      [9, 12],
      [12, 15],
      [500, 3],
      [503, 6],
    ] as const;
    expect(scriptPace(losses(bursts)).secondsPerStep).toBe(1);
  });

  it('counts lines that were read one right after the other as one, too', () => {
    const bursts = Array.from({ length: 100 }, (_, step) => {
      const read = Math.floor(step / 20);
      return [read + (step % 20) * 0.0005, step] as const;
    });
    expect(scriptPace(losses(bursts)).secondsPerStep).toBeCloseTo(0.05, 3);
  });

  it('is taken from the scalar that was logged most often: an evaluation counts its own batches', () => {
    const evaluated = losses(
      [
        [100, 1],
        [101, 500],
        [102, 1000],
        [103, 1500],
      ],
      'val/loss',
    );
    const trained = losses(Array.from({ length: 6 }, (_, step) => [2 * step, step] as const));
    expect(scriptPace([...evaluated, ...trained]).secondsPerStep).toBe(2);
  });

  it('is unknown with too few steps or without any; epochs are measured, too, and progress lines are enough', () => {
    expect(
      scriptPace(
        losses([
          [0, 1],
          [1, 2],
          [2, 3],
        ]),
      ),
    ).toEqual({});
    expect(scriptPace([line(0, { values: { loss: 1 } }), line(5, { values: { loss: 1 } })])).toEqual({});
    const epochs = [0, 30, 60].map((t, epoch) => line(t, { epoch, values: { loss: 1 } }));
    expect(scriptPace(epochs)).toEqual({ secondsPerEpoch: 30 });
    const bars = Array.from({ length: 6 }, (_, step) =>
      line(step / 2, { step, steps: 6 }, 'script_progress'),
    );
    expect(scriptPace(bars)).toEqual({ secondsPerStep: 0.5 });
  });

  it('does not fail for lines that no collector writes', () => {
    expect(scriptPace([line(0, { step: 'NaN', values: 3 }), line(1, { step: -1, values: null })])).toEqual(
      {},
    );
  });
});

describe('which runs are of the same script', () => {
  const script: Script = { source: { type: 'folder', path: '/code' }, file: 'train.py', arguments: '--lr 1' };
  const lab: LabDocument = { ...chain(2), experiment: { ...chain(2).experiment, script } };
  const withScript = (change: Partial<Script>): LabDocument => ({
    ...lab,
    experiment: { ...lab.experiment, script: { ...script, ...change } },
  });

  it('those with its folder and file, whatever its arguments', () => {
    expect(scriptKey(withScript({ arguments: '' }))).toBe(scriptKey(lab));
    expect(scriptKey(withScript({ file: 'other.py' }))).not.toBe(scriptKey(lab));
    expect(scriptKey(withScript({ source: { type: 'git', url: '/code' } }))).not.toBe(scriptKey(lab));
    expect(scriptKey(emptyLab('l', 'L'))).toBeUndefined();
  });

  it('and what has changed since is named', () => {
    const measured = { runId: 'r', runName: 'Run', ...givenTo(lab) };
    expect(changedSince(lab, measured)).toEqual([]);
    expect(changedSince(withScript({ arguments: '--lr 2' }), measured)).toEqual(['arguments']);
    const [link] = lab.links;
    const slower = { ...lab, links: [{ ...link!, bandwidthMbps: 1 }, ...lab.links.slice(1)] };
    expect(changedSince(slower, measured)).toEqual(['links']);
    expect(changedSince({ ...lab, nodes: lab.nodes.slice(1) }, measured)).toEqual(['nodes']);
  });
});
