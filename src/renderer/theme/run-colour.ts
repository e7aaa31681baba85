/** Colours of compared runs, chosen to be distinct also for users with red-green colour blindness. */
import type { RunColour } from '../../shared/run/run.ts';

/** In the order in which runs without a colour of their own get them. Each is legible on light and dark backgrounds. */
export const runPalette: Readonly<Record<RunColour, string>> = {
  blue: '#449bc1',
  red: '#e61e1e',
  green: '#739b4b',
  violet: '#8947eb',
  rose: '#b86b73',
  indigo: '#6670cc',
  magenta: '#d33192',
};

const dashes = [undefined, '6 3', '2 2', '8 3 2 3'] as const;

export interface RunStroke {
  readonly colour: string;
  readonly dash: string | undefined;
}

/**
 * A line style for each run, all distinct if possible: first the colours that the user chose, then unused ones, then the same
 * colours dashed.
 */
export function runStrokes(chosen: readonly (RunColour | undefined)[]): RunStroke[] {
  const colours = Object.values(runPalette);
  const strokes = dashes.flatMap((dash) => colours.map((colour): RunStroke => ({ colour, dash })));
  const taken = new Set<RunStroke>();
  const take = (fits: (stroke: RunStroke) => boolean): RunStroke => {
    const free = strokes.find((stroke) => !taken.has(stroke) && fits(stroke));
    if (free !== undefined) taken.add(free);
    return free ?? strokes.find(fits) ?? { colour: runPalette.blue, dash: undefined };
  };
  const own = chosen.map((name) =>
    name === undefined ? undefined : take(({ colour }) => colour === runPalette[name]),
  );
  return own.map((stroke) => stroke ?? take(() => true));
}
