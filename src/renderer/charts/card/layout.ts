/** Computes how many chart cards fit side by side, and their size. Pure functions. */
import type { CardSize } from './card-view.ts';
import { plotMargin } from '../scale/plot-place.ts';

const gap = 10;
/** The height of a card without its curves: border, heading, legend. */
const chrome = 70;

/** The minimum width in pixels; the maximum number side by side; and how many rows are visible if the height allows it. */
const sizes: Readonly<Record<CardSize, { minWidth: number; columns: number; rows: number }>> = {
  small: { minWidth: 232, columns: 6, rows: 3 },
  medium: { minWidth: 268, columns: 3, rows: 2 },
  large: { minWidth: 420, columns: 2, rows: 1 },
};
/** Below this height a chart cannot be read. */
const minRow = 200;

export interface Layout {
  readonly columns: number;
  readonly width: number;
  readonly height: number;
  /** Points to request: half the pixels, as live points may double them; in coarse steps, so that small resizes request nothing. */
  readonly points: number;
}

/** @param alone one card fills the panel */
export function layOut(size: { width: number; height: number }, cardSize: CardSize, alone: boolean): Layout {
  const inner = size.width - 24;
  if (inner <= 0) return { columns: 1, width: 0, height: 0, points: 0 };
  const { minWidth, columns: max, rows: visibleRows } = sizes[cardSize];
  const columns = alone ? 1 : Math.max(1, Math.min(max, Math.floor((inner + gap) / (minWidth + gap))));
  const width = Math.floor((inner - gap * (columns - 1)) / columns);
  const rows = alone ? 1 : Math.max(1, Math.min(visibleRows, Math.floor(size.height / minRow)));
  const room = Math.floor((size.height - 22 - gap * (rows - 1)) / rows) - chrome;
  const height = Math.max(112, Math.min(alone ? 900 : cardSize === 'large' ? 420 : 320, room));
  const pixels = width - plotMargin.left - plotMargin.right;
  return { columns, width, height, points: Math.max(96, Math.min(800, Math.floor(pixels / 64) * 32)) };
}
