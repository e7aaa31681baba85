/** Divides the points of a quantity into equal time ranges, for a row of a heat map. Pure functions. */

/** The maximum of each range, undefined where nothing was sampled: a short peak must stay visible. */
export function stretches(
  track: { readonly x: readonly number[]; readonly y: readonly (number | null)[] } | undefined,
  range: { readonly from: number; readonly to: number },
  count: number,
): (number | undefined)[] {
  const cells = new Array<number | undefined>(count).fill(undefined);
  const width = (range.to - range.from) / count || 1;
  track?.x.forEach((x, i) => {
    const y = track.y[i];
    if (y === null || y === undefined || x < range.from || x > range.to) return;
    const at = Math.min(count - 1, Math.max(0, Math.floor((x - range.from) / width)));
    cells[at] = Math.max(cells[at] ?? Number.NEGATIVE_INFINITY, y);
  });
  return cells;
}

/** Samples arrive once a second, so a range may be empty: it repeats the one before, up to a limit. */
export function carry(cells: readonly (number | undefined)[], max: number): (number | undefined)[] {
  let last: number | undefined;
  let since = 0;
  return cells.map((cell) => {
    since = cell === undefined ? since + 1 : 0;
    if (cell !== undefined) last = cell;
    return since <= max ? last : undefined;
  });
}

export type HeatMetric = 'cpu' | 'utilisation' | 'memory' | 'temperature' | 'power';

const fields: Readonly<Record<Exclude<HeatMetric, 'cpu'>, string>> = {
  utilisation: 'utilization_percent',
  memory: 'memory_used_bytes',
  temperature: 'temperature_celsius',
  power: 'power_watts',
};

export const heatField = (metric: HeatMetric, gpu: number): string =>
  metric === 'cpu' ? 'cpu_percent' : `gpus.${gpu}.${fields[metric]}`;

/** The value of the darkest colour; at least the largest value. */
export const heatFull = (metric: HeatMetric): number => (metric === 'power' || metric === 'memory' ? 0 : 100);
