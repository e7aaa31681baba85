/** Alignment guides: edges and middles of the other cards that a dragged card snaps to. Pure functions. */
import { type Rectangle } from '../../shared/drawing/card-size.ts';

export interface Guide {
  readonly axis: 'x' | 'y';
  /** The guide's position on its axis, and its extent on the other one. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}
export interface Aligned {
  /** The offset that aligns the dragged cards. */
  readonly dx: number;
  readonly dy: number;
  readonly guides: readonly Guide[];
}

/** A card snaps within this distance, in document pixels. */
const near = 9;

const lines = (start: number, size: number): number[] => [start, start + size / 2, start + size];

/** The nearest guide of the other cards on one axis. */
function nearest(moving: Rectangle, others: readonly Rectangle[], axis: 'x' | 'y'): number | undefined {
  const size = axis === 'x' ? 'width' : 'height';
  let best: number | undefined;
  for (const other of others) {
    const ownLines = lines(moving[axis], moving[size]);
    const otherLines = lines(other[axis], other[size]);
    // Left edges align with left ones, middles with middles, right edges with right ones.
    for (const [index, ownLine] of ownLines.entries()) {
      const gap = (otherLines[index] ?? ownLine) - ownLine;
      if (Math.abs(gap) <= near && (best === undefined || Math.abs(gap) < Math.abs(best))) best = gap;
    }
  }
  return best;
}

function guidesOn(moved: Rectangle, others: readonly Rectangle[], axis: 'x' | 'y'): Guide[] {
  const cross = axis === 'x' ? 'y' : 'x';
  const size = axis === 'x' ? 'width' : 'height';
  const crossSize = axis === 'x' ? 'height' : 'width';
  const found = new Map<number, Guide>();
  for (const other of others) {
    for (const [index, at] of lines(moved[axis], moved[size]).entries()) {
      if (Math.abs((lines(other[axis], other[size])[index] ?? Number.NaN) - at) > 0.5) continue;
      const old = found.get(at);
      found.set(at, {
        axis,
        at,
        from: Math.min(moved[cross], other[cross], old?.from ?? Number.POSITIVE_INFINITY),
        to: Math.max(
          moved[cross] + moved[crossSize],
          other[cross] + other[crossSize],
          old?.to ?? Number.NEGATIVE_INFINITY,
        ),
      });
    }
  }
  return [...found.values()];
}

/** Aligns the dragged cards, taken as one rectangle, with the cards that stay. */
export function alignTo(moving: Rectangle, others: readonly Rectangle[]): Aligned {
  const dx = nearest(moving, others, 'x') ?? 0;
  const dy = nearest(moving, others, 'y') ?? 0;
  const moved = { ...moving, x: moving.x + dx, y: moving.y + dy };
  return { dx, dy, guides: [...guidesOn(moved, others, 'x'), ...guidesOn(moved, others, 'y')] };
}
