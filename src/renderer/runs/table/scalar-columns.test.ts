// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import type { RunScalarValues } from '../../../shared/run/scalar-values.ts';
import { readChoice } from './column-choice.ts';
import {
  firstColumns,
  isScalarColumn,
  namesIn,
  namesWanted,
  readScalarColumn,
  scalarValue,
} from './scalar-columns.ts';

const of = (runId: string, names: string[]): readonly [string, RunScalarValues] => [
  runId,
  { runId, names, values: { 'val/loss': { final: 2, lowest: 1, highest: 3 } } },
];

describe('columns of scalars', () => {
  it('are at first the best losses and accuracies, else the last values of the first names', () => {
    expect(firstColumns(['lr', 'train/loss', 'val/loss', 'val/acc'])).toEqual([
      'lowest val/loss',
      'highest val/acc',
      'lowest train/loss',
    ]);
    expect(firstColumns(['best loss', 'train/loss', 'train/acc'])).toEqual([
      'lowest train/loss',
      'highest train/acc',
      'lowest best loss',
    ]);
    expect(firstColumns(['b', 'a'])).toEqual(['final b', 'final a']);
    expect(firstColumns([])).toEqual([]);
  });

  it('name a scalar with any characters, and have each run’s value', () => {
    expect(readScalarColumn('lowest a b/c')).toEqual({ measure: 'lowest', name: 'a b/c' });
    expect(['loss', 'final', ' final x', 'took x'].map(isScalarColumn)).toEqual([false, false, false, false]);
    const [, run] = of('r', ['val/loss']);
    expect(scalarValue(run, 'lowest val/loss')).toBe(1);
    expect(scalarValue(run, 'final other')).toBeUndefined();
    expect(scalarValue(undefined, 'final val/loss')).toBeUndefined();
  });

  it('list the names of most runs first, and ask for what is searched and shown', () => {
    expect(namesIn(new Map([of('a', ['x', 'y']), of('b', ['y'])]))).toEqual(['y', 'x']);
    expect(namesWanted(['final x', 'lowest x', 'final y'], ['z', 'x'])).toEqual(['z', 'x', 'y']);
  });

  it('that were chosen are read again; anything else is nothing', () => {
    expect(readChoice('{"lab":["final x","took x"]}')).toEqual({ lab: ['final x'] });
    expect([readChoice('{'), readChoice('[1]'), readChoice(null)]).toEqual([{}, {}, {}]);
  });
});
