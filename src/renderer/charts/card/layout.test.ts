// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { pinCard, pinnedFirst, readCardView, useCardView } from './card-view.ts';
import { layOut } from './layout.ts';

describe('cards', () => {
  it('have the width that the user set, at most the panel’s', () => {
    for (const width of [300, 760, 1030, 1900])
      for (const size of ['small', 'medium', 'large'] as const) {
        const found = layOut({ width, height: 700 }, size, false);
        expect(found.columns * found.width + (found.columns - 1) * 10).toBeLessThanOrEqual(width - 24);
        expect(found.points).toBeLessThanOrEqual(Math.max(96, found.width));
      }
    const columns = (['small', 'medium', 'large'] as const).map(
      (size) => layOut({ width: 1900, height: 1000 }, size, false).columns,
    );
    expect(columns).toEqual([6, 3, 2]);
    expect(layOut({ width: 0, height: 0 }, 'small', false).points).toBe(0);
    expect(layOut({ width: 1900, height: 1000 }, 'small', true).columns).toBe(1);
  });

  it('that are pinned are on top, in the order of pinning', () => {
    const cards = [{ id: 'loss' }, { id: 'top1' }, { id: 'top5' }] as const;
    expect(pinnedFirst(cards, ['top5', 'bytesSent', 'top1']).map(({ id }) => id)).toEqual([
      'top5',
      'top1',
      'loss',
    ]);
  });

  it('are restored; an invalid stored value gives the defaults', () => {
    expect(readCardView('{"size":"large","order":"value","pinned":["loss"]}')).toEqual({
      size: 'large',
      order: 'value',
      pinned: ['loss'],
    });
    for (const text of [null, '', '[1', '{"size":7,"pinned":["nothing"]}', '3'])
      expect(readCardView(text)).toEqual({ size: 'medium', order: 'line', pinned: [] });
  });

  it('keep what another window of this browser has pinned since', () => {
    pinCard('loss');
    localStorage.setItem('ringlab.charts', '{"size":"large","pinned":["loss","top5"]}');
    pinCard('top1');
    expect(useCardView.getState()).toMatchObject({ size: 'large', pinned: ['loss', 'top5', 'top1'] });
    pinCard('top1');
    expect(readCardView(localStorage.getItem('ringlab.charts')).pinned).toEqual(['loss', 'top5']);
  });
});
