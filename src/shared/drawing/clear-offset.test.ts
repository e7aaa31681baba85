import { describe, expect, it } from 'vitest';
import { cardSize } from './card-size.ts';
import { clearOffset } from './clear-offset.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}
const step = 20;
const grid = (columns: number, rows: number, gap = 100): Point[] =>
  Array.from({ length: columns * rows }, (_, at) => ({
    x: (at % columns) * (cardSize.width + gap),
    y: Math.floor(at / columns) * (cardSize.height + gap),
  }));
const isClear = (cards: readonly Point[], staying: readonly Point[], by: Point): boolean =>
  cards.every(({ x, y }) =>
    staying.every(
      (one) => Math.abs(x + by.x - one.x) >= cardSize.width || Math.abs(y + by.y - one.y) >= cardSize.height,
    ),
  );

describe('cards that are laid out beside others that stay', () => {
  it('are not moved where they cover none', () => {
    expect(clearOffset(grid(3, 1), [{ x: 0, y: cardSize.height }], step)).toEqual({ x: 0, y: 0 });
    expect(clearOffset(grid(3, 1), [], step)).toEqual({ x: 0, y: 0 });
  });

  it.each([
    [grid(2, 2), [{ x: 30, y: 10 }]],
    [
      grid(3, 3),
      [
        { x: 150, y: 120 },
        { x: 500, y: 333 },
      ],
    ],
    [grid(4, 1), grid(2, 2, 20)],
    [grid(2, 3, 40), grid(3, 2, 60)],
  ])('are moved by no more than is necessary: case %#', (cards, staying) => {
    const by = clearOffset(cards, staying, step);
    expect(isClear(cards, staying, by)).toBe(true);
    expect([Math.abs(by.x % step), Math.abs(by.y % step)]).toEqual([0, 0]);
    const length = Math.hypot(by.x, by.y);
    for (let x = -1000; x <= 1000; x += step)
      for (let y = -1000; y <= 1000; y += step)
        if (Math.hypot(x, y) < length - 1e-6) expect(isClear(cards, staying, { x, y })).toBe(false);
  });

  it('are found a place soon among thousands', () => {
    const [cards, staying] = [grid(50, 50, 20), grid(50, 50, 20)];
    const by = clearOffset(cards, staying, step);
    expect(isClear(cards, staying, by)).toBe(true);
  });
});
