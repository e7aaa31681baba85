/** Positions of parts on the canvas, in document pixels, and how far they are moved. */
import type { LabNode } from '../../shared/lab/lab.ts';

export type Positions = Record<string, LabNode['position']>;

/** What is known of a part; an id may be the name of a property that every object has, such as `constructor`. */
export const ofPart = <T>(known: Readonly<Record<string, T>>, id: string): T | undefined =>
  Object.hasOwn(known, id) ? known[id] : undefined;

export interface Shift {
  readonly dx: number;
  readonly dy: number;
}

/** What React Flow shows: the document's shift and zoom, and the canvas's size in pixels of the screen. */
export interface Sight {
  readonly transform: readonly [number, number, number];
  readonly width: number;
  readonly height: number;
}

/** Between a box and the canvas's edge, in pixels of the screen: at the sides are the buttons that hide the panels. */
const aside = { x: 32, y: 8 };

/**
 * The place at which all of a box is seen that is as large at every zoom: the asked one, or the nearest.
 * @param at the middle of its upper edge, as is the answer
 * @param size in pixels of the screen
 */
export function intoSight(
  at: LabNode['position'],
  { transform: [left, top, zoom], width, height }: Sight,
  size: { readonly width: number; readonly height: number },
): LabNode['position'] {
  const within = (place: number, first: number, last: number): number =>
    Math.max(first, Math.min(place, last));
  const half = size.width / 2;
  return {
    x: (within(at.x * zoom + left, aside.x + half, width - aside.x - half) - left) / zoom,
    y: (within(at.y * zoom + top, aside.y, height - aside.y - size.height) - top) / zoom,
  };
}
