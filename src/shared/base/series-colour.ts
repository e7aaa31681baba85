/** Twelve colours that distinguish nodes, ranks and curves on light and dark backgrounds, also for colour-blind users. */
const palette = [
  '#2f7fc1',
  '#d9691e',
  '#1f9e78',
  '#c76a9c',
  '#a98a12',
  '#4fa9d8',
  '#98415f',
  '#3f9e97',
  '#7568cf',
  '#b0557f',
  '#7f8237',
  '#96654f',
] as const;

/** The colour of the node, rank or curve at `index` (from 0) of its kind; they repeat after twelve. */
export function seriesColour(index: number): string {
  const at = ((Math.trunc(index) % palette.length) + palette.length) % palette.length;
  return palette[at] ?? palette[0];
}
