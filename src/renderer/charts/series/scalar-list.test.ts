/** Tests of the list of scalars: groups, search, axes and lines. */
import { describe, expect, it } from 'vitest';
import type { RunScalar } from '../../../shared/run/run-outputs.ts';
import { findScalars, groupScalars, prefixOf, scalarAxis, scalarSpec } from './scalar-list.ts';

const scalar = (
  name: string,
  ranks: readonly number[] = [0],
  counts = { steps: 100, epochs: 0 },
): RunScalar => ({
  name,
  ranks: ranks.map((rank) => ({ rank, points: 100, ...counts })),
});
const choice = (rank: number) => ({ rank, nodeName: `N${rank + 1}`, colour: `c${rank}`, dash: '2 2' });
const ranks = [0, 1, 2].map(choice);

describe('groups', () => {
  it('are the first part of the names; what users look at first leads', () => {
    const names = ['lr', 'norms/a', 'train/loss', 'train/layer/norm', 'val/loss', '/odd'];
    expect(
      groupScalars(names.map((name) => scalar(name))).map(({ prefix, scalars }) => [prefix, scalars.length]),
    ).toEqual([
      ['', 2],
      ['train', 2],
      ['val', 1],
      ['norms', 1],
    ]);
    expect(names.map(prefixOf)).toEqual(['', 'norms', 'train', 'train', 'val', '']);
  });

  it('a search finds names that contain every word, in any order and case', () => {
    const all = ['train/Loss', 'val/loss', 'lr'].map((name) => scalar(name));
    expect(findScalars(all, ' LOSS  val').map(({ name }) => name)).toEqual(['val/loss']);
    expect(findScalars(all, ' ')).toHaveLength(3);
    expect(findScalars(all, 'loss$')).toEqual([]);
  });
});

describe('axis', () => {
  it('is the chosen one where most points have it, then the next best, then the time', () => {
    const onlyEpochs = scalar('d', [0], { steps: 0, epochs: 100 });
    expect((['epoch', 'step', 'time'] as const).map((one) => scalarAxis(onlyEpochs, one))).toEqual([
      'epoch',
      'epoch',
      't',
    ]);
    const epochs = scalar('a', [0], { steps: 100, epochs: 100 });
    const steps = scalar('b', [0], { steps: 100, epochs: 20 });
    const neither = scalar('c', [0], { steps: 0, epochs: 0 });
    expect([epochs, steps, neither].map((one) => scalarAxis(one, 'epoch'))).toEqual(['epoch', 'step', 't']);
    expect([epochs, steps, neither].map((one) => scalarAxis(one, 'step'))).toEqual(['step', 'step', 't']);
    expect([epochs, steps, neither].map((one) => scalarAxis(one, 'time'))).toEqual(['t', 't', 't']);
  });
});

describe('lines', () => {
  it('are one for each rank that has the scalar', () => {
    const spec = scalarSpec(scalar('loss', [0, 2]), { ranks, shown: 'all', own: 'own' });
    expect(spec?.lines.map(({ name, colour }) => [name, colour])).toEqual([
      ['rank-0/scalar/values.loss', 'c0'],
      ['rank-2/scalar/values.loss', 'c2'],
    ]);
    expect(scalarSpec(scalar('loss', [0, 2]), { ranks, shown: 2, own: 'own' })?.lines).toHaveLength(1);
    expect(scalarSpec(scalar('loss', [0, 2]), { ranks, shown: 1, own: 'own' })).toBeUndefined();
  });

  it('of several ranks can be their band; a single rank has the run’s colour', () => {
    const band = scalarSpec(scalar('loss', [0, 1, 2]), { ranks, shown: 'band', own: 'own' });
    expect(band?.lines).toHaveLength(1);
    expect(band?.lines[0]?.bandOf).toHaveLength(3);
    const single = scalarSpec(scalar('loss', [1]), { ranks, shown: 'band', own: 'own' });
    expect(single?.lines[0]).toMatchObject({ colour: 'own', dash: undefined });
    expect(single?.lines[0]?.bandOf).toBeUndefined();
  });

  it('of a few points are dots', () => {
    const few = { name: 'val', ranks: [{ rank: 0, points: 5, steps: 5, epochs: 0 }] };
    expect(scalarSpec(few, { ranks, shown: 'all', own: 'own' })?.lines[0]?.sparse).toBe(true);
    expect(scalarSpec(scalar('loss'), { ranks, shown: 'all', own: 'own' })?.lines[0]?.sparse).toBe(false);
  });
});
