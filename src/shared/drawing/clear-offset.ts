/** Where cards that are laid out together lie on none of those that stay. Pure. */
import { cardSize } from './card-size.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}
/** The offsets that are still possible. */
interface Range {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}
interface Candidate {
  readonly range: Range;
  /** The range's offset that is nearest to none. */
  readonly offset: Point;
  readonly distance: number;
}

/** Cards that are looked at in a search: a lab of thousands takes some tenths of a second. */
const effort = 500_000;

/**
 * The offset, in multiples of `step`, by which cards are moved the least so that none covers one that stays. Where thousands of cards
 * make the search long they are moved beside all that stay.
 */
export function clearOffset(cards: readonly Point[], staying: readonly Point[], step: number): Point {
  const covered = finder(staying);
  const open: Candidate[] = [];
  const add = (range: Range): void => {
    if (range.left > range.right || range.top > range.bottom) return;
    const offset = { x: nearest(range.left, range.right), y: nearest(range.top, range.bottom) };
    open.push({ range, offset, distance: Math.hypot(offset.x, offset.y) });
  };
  add({ left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity });
  for (let tries = Math.max(50, effort / Math.max(1, cards.length)); tries > 0; tries -= 1) {
    const best = takeNearest(open);
    if (best === undefined) break;
    const { offset, range } = best;
    const pair = findPair(cards, offset, covered);
    if (pair === undefined) return offset;
    // Out of this pair there are four ways, each with offsets that the others do not have.
    const out = exits(pair.card, pair.stays, step);
    add({ ...range, right: Math.min(range.right, out.left) });
    add({ ...range, left: Math.max(range.left, out.right) });
    const between = {
      left: Math.max(range.left, out.left + step),
      right: Math.min(range.right, out.right - step),
    };
    add({ ...range, ...between, bottom: Math.min(range.bottom, out.top) });
    add({ ...range, ...between, top: Math.max(range.top, out.bottom) });
  }
  return beside(cards, staying, step);
}

const nearest = (least: number, most: number): number => Math.min(Math.max(0, least), most) + 0;

function takeNearest(open: Candidate[]): Candidate | undefined {
  let at = 0;
  for (const [index, { distance }] of open.entries()) if (distance < (open[at]?.distance ?? 0)) at = index;
  return open.splice(at, 1)[0];
}

/** The first offsets to each side at which `card` does not cover `stays`. */
const exits = (card: Point, stays: Point, step: number): Range => ({
  left: Math.floor((stays.x - card.x - cardSize.width) / step) * step,
  right: Math.ceil((stays.x - card.x + cardSize.width) / step) * step,
  top: Math.floor((stays.y - card.y - cardSize.height) / step) * step,
  bottom: Math.ceil((stays.y - card.y + cardSize.height) / step) * step,
});

function findPair(
  cards: readonly Point[],
  offset: Point,
  covered: (card: Point) => Point | undefined,
): { card: Point; stays: Point } | undefined {
  for (const card of cards) {
    const stays = covered({ x: card.x + offset.x, y: card.y + offset.y });
    if (stays !== undefined) return { card, stays };
  }
  return undefined;
}

/** Finds a card that is covered by one at this place. Cells of a card's size, so that only neighbours are looked at. */
function finder(staying: readonly Point[]): (card: Point) => Point | undefined {
  const column = (x: number): number => Math.floor(x / cardSize.width);
  const row = (y: number): number => Math.floor(y / cardSize.height);
  const cells = new Map<string, Point[]>();
  for (const point of staying) {
    const key = `${column(point.x)} ${row(point.y)}`;
    const cell = cells.get(key);
    if (cell === undefined) cells.set(key, [point]);
    else cell.push(point);
  }
  const isCovered = (a: Point, b: Point): boolean =>
    Math.abs(a.x - b.x) < cardSize.width && Math.abs(a.y - b.y) < cardSize.height;
  return (card) => {
    for (let x = column(card.x) - 1; x <= column(card.x) + 1; x += 1)
      for (let y = row(card.y) - 1; y <= row(card.y) + 1; y += 1) {
        const found = cells.get(`${x} ${y}`)?.find((point) => isCovered(card, point));
        if (found !== undefined) return found;
      }
    return undefined;
  };
}

/** The nearest of the four places outside of everything that stays. */
function beside(cards: readonly Point[], staying: readonly Point[], step: number): Point {
  const bounds = (points: readonly Point[]): Range => ({
    left: points.reduce((least, { x }) => Math.min(least, x), Infinity),
    right: points.reduce((most, { x }) => Math.max(most, x), -Infinity),
    top: points.reduce((least, { y }) => Math.min(least, y), Infinity),
    bottom: points.reduce((most, { y }) => Math.max(most, y), -Infinity),
  });
  const [ours, theirs] = [bounds(cards), bounds(staying)];
  const before = exits({ x: ours.right, y: ours.bottom }, { x: theirs.left, y: theirs.top }, step);
  const behind = exits({ x: ours.left, y: ours.top }, { x: theirs.right, y: theirs.bottom }, step);
  const ways = [
    { x: behind.right, y: 0 },
    { x: 0, y: behind.bottom },
    { x: before.left, y: 0 },
    { x: 0, y: before.top },
  ];
  return ways.reduce((best, way) => (Math.hypot(way.x, way.y) < Math.hypot(best.x, best.y) ? way : best));
}
