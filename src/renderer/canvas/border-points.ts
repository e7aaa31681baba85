/** Where the straight line between two cards meets their borders. */
import { type Rectangle } from '../../shared/drawing/card-size.ts';
import { type Point } from '../../shared/drawing/label-place.ts';

export const middle = (box: Rectangle): Point => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

/** The point on `box`'s border towards `target`; the box's centre if the two overlap. */
export function borderPoint(box: Rectangle, target: Point): Point {
  const from = middle(box);
  const dx = target.x - from.x;
  const dy = target.y - from.y;
  if (dx === 0 && dy === 0) return from;
  const scale = Math.min(
    dx === 0 ? Number.POSITIVE_INFINITY : box.width / 2 / Math.abs(dx),
    dy === 0 ? Number.POSITIVE_INFINITY : box.height / 2 / Math.abs(dy),
  );
  return scale >= 1 ? from : { x: from.x + dx * scale, y: from.y + dy * scale };
}

/** The straight line between the borders of two cards, as an SVG path. */
export function linePath(from: Rectangle, to: Rectangle): string {
  const start = borderPoint(from, middle(to));
  const end = borderPoint(to, middle(from));
  return `M ${start.x} ${start.y} L ${end.x} ${end.y}`;
}
