/** Lines that a dragged card falls in with: edges and middles of the cards that stay. Pure. */
import type { Rectangle } from '../state/index.ts';

export interface Guide {
  readonly axis: 'x' | 'y';
  /** Where the line is on its axis, and from where to where it goes on the other one. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}
export interface Aligned {
  /** What to add to the dragged cards' positions so that they fall in. */
  readonly dx: number;
  readonly dy: number;
  readonly guides: readonly Guide[];
}

/** Nearer than this, in the document's pixels, a card falls in. */
const near = 9;

const lines = (start: number, size: number): number[] => [start, start + size / 2, start + size];

/** The nearest line of the others for one axis. */
function nearest(moving: Rectangle, others: readonly Rectangle[], axis: 'x' | 'y'): number | undefined {
  const size = axis === 'x' ? 'width' : 'height';
  let best: number | undefined;
  for (const other of others) {
    const ours = lines(moving[axis], moving[size]);
    const theirs = lines(other[axis], other[size]);
    // Like with like: left with left, middle with middle, right with right.
    for (const [index, our] of ours.entries()) {
      const gap = (theirs[index] ?? our) - our;
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

/** How the dragged cards, taken as one rectangle, fall in with the cards that stay. */
export function alignTo(moving: Rectangle, others: readonly Rectangle[]): Aligned {
  const dx = nearest(moving, others, 'x') ?? 0;
  const dy = nearest(moving, others, 'y') ?? 0;
  const moved = { ...moving, x: moving.x + dx, y: moving.y + dy };
  return { dx, dy, guides: [...guidesOn(moved, others, 'x'), ...guidesOn(moved, others, 'y')] };
}
