/** Converts a chart's values to pixels of its picture. Pure functions. */
import type { Domain } from './scale.ts';

/** The plot area in the picture, in pixels; the cursor above the curves uses it too. */
export const plotMargin = { top: 6, right: 12, bottom: 20, left: 56 } as const;

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
export interface Place {
  /** For x in shown units. */
  toX(x: number): number;
  toY(y: number): number;
}

/** @param low @param high in shown units; they differ */
export function placeIn(area: Area, low: number, high: number, domain: Domain, log: boolean): Place {
  const scale = log ? Math.log10 : (value: number) => value;
  const bottom = scale(domain.low);
  // Half of both, so that 1e308 on either side of zero does not overflow.
  const span = scale(domain.high) / 2 - bottom / 2;
  return {
    toX: (x) => area.x + ((x - low) / (high - low)) * area.width,
    toY: (y) => {
      const share = span === 0 ? 0.5 : (scale(y) / 2 - bottom / 2) / span;
      // Values far beyond the axis are clipped anyway; coordinates of 1e300 are no valid path.
      return area.y + (1 - Math.max(-10, Math.min(11, share))) * area.height;
    },
  };
}
