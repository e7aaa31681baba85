import { describe, expect, it } from 'vitest';
import { epochSteps } from '../scale/epoch-steps.ts';
import type { Catalogue } from './compared-scalars.ts';
import {
  comparedAxis,
  comparedScalars,
  comparedSpec,
  scalarTracks,
  shownByScalars,
} from './compared-scalars.ts';

const entry = (
  kind: string,
  field: string,
  counts = { points: 100, steps: 100, epochs: 0 },
  source = 'rank-0',
) => ({ ...{ source, kind, field }, ...counts });
const whole = { evaluating: [0], steady: 0 };
const script = { id: 's', start: 10, epochs: undefined, isScript: true, ...whole };
const trainer = { id: 't', start: 20, epochs: epochSteps([], 50), isScript: false, ...whole };
const catalogues = new Map<string, Catalogue>([
  [
    's',
    [
      entry('scalar', 'values.train/loss', { points: 100, steps: 100, epochs: 100 }),
      entry('scalar', 'values.accuracy'),
      entry('scalar', 'values.gpu', { points: 30, steps: 0, epochs: 0 }),
    ],
  ],
  ['t', [entry('step', 'loss'), entry('eval', 'top1'), entry('step', 'step_seconds')]],
]);
const runs = [script, trainer];
const scalars = comparedScalars(runs, catalogues);
const [accuracy, gpu, loss] = scalars; // in natural order
if (loss === undefined || accuracy === undefined || gpu === undefined) throw new Error('scalars are missing');

describe('scalars of several runs', () => {
  it('have a run of the trainer under the script’s name for the same quantity', () => {
    expect(scalars.map(({ name, of }) => [name, [...of.keys()]])).toEqual([
      // A fraction in most scripts, not the trainer's percents.
      ['accuracy', ['s']],
      ['gpu', ['s']],
      ['train/loss', ['s', 't']],
    ]);
    expect([...shownByScalars(scalars)]).toEqual(['rank-0/step/loss']);
  });

  it('lie along the chosen axis if all runs have it', () => {
    expect(comparedAxis(loss, runs, 'epoch')).toBe('epoch');
    expect(comparedAxis(accuracy, runs, 'epoch')).toBe('step');
    expect(comparedAxis(gpu, runs, 'step')).toBe('t');
    expect(comparedAxis(loss, [script, { ...trainer, epochs: undefined }], 'epoch')).toBe('step');
  });

  it('lie along the epoch where a script prints no step', () => {
    const printed = entry('scalar', 'values.loss', { points: 8, steps: 0, epochs: 8 });
    const both = [script, { ...script, id: 's2' }];
    const [once] = comparedScalars(both, new Map(both.map(({ id }) => [id, [printed]])));
    if (once === undefined) throw new Error('the scalar is missing');
    expect(comparedAxis(once, both, 'step')).toBe('epoch');
    expect(comparedAxis(once, both, 'time')).toBe('t');
  });

  it('count a trainer’s epochs from its steps, and time from each run’s start', () => {
    const laid = (x: Parameters<typeof scalarTracks>[2]) =>
      scalarTracks(loss, runs, x).map((one) => [one.x, one.laid.toShown(120), one.laid.toFeed(120)]);
    expect(laid('epoch')).toEqual([
      ['epoch', 120, 120],
      ['step', 2.4, 6000],
    ]);
    expect(laid('step')).toEqual([
      ['step', 120, 120],
      ['step', 120, 120],
    ]);
    expect(laid('t')).toEqual([
      ['t', 110, 130],
      ['t', 100, 140],
    ]);
  });

  it('go on with the rank that took rank 0’s part', () => {
    const fewer = { ...trainer, evaluating: [0, 1], steady: 1 };
    const counts = { points: 5, steps: 5, epochs: 0 };
    const written = ['rank-0', 'rank-1'].flatMap((source) => [
      entry('step', 'loss', undefined, source),
      entry('eval', 'loss', counts, source),
    ]);
    const scripts = [entry('scalar', 'values.val_loss'), entry('scalar', 'values.loss')];
    const compared = [script, fewer];
    const both = comparedScalars(
      compared,
      new Map([
        ['s', scripts],
        ['t', written],
      ]),
    );
    const wanted = both.map((one) => {
      const { keys = [] } =
        scalarTracks(one, compared, 'step').find(({ runId }) => runId === 't')?.wanted[0] ?? {};
      return [one.name, keys.map(({ source, kind }) => `${source} ${kind}`), one.of.get('t')?.points];
    });
    expect(wanted).toEqual([
      ['loss', ['rank-1 step'], 100],
      ['val_loss', ['rank-0 eval', 'rank-1 eval'], 10],
    ]);
    expect([...shownByScalars(both)]).toEqual(['rank-0/step/loss', 'rank-0/eval/loss']);
  });

  it('draw a line for each run or group that has the scalar', () => {
    const line = (id: string, members: typeof runs) => ({
      ...{ id, name: id.toUpperCase(), runs: members },
      stroke: { colour: 'red', dash: undefined },
    });
    const spec = comparedSpec(gpu, [line('a', [script]), line('b', [trainer])]);
    expect(spec.lines.map(({ name, sparse }) => [name, sparse])).toEqual([['a values.gpu', false]]);
    expect(comparedSpec(loss, [line('g', runs)]).lines).toHaveLength(1);
  });
});
