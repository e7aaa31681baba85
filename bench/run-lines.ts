/** Reads the raw lines of the newest run in a data folder. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseMetricLine } from '../src/shared/metrics/metrics.ts';

/** By step, the Unix time at which the first of the ranks wrote its line. */
export async function stepTimes(dataFolder: string): Promise<Map<number, number>> {
  const [run] = await readdir(join(dataFolder, 'runs'));
  if (run === undefined) throw new Error('no run is stored');
  const times = new Map<number, number>();
  for (const file of await readdir(join(dataFolder, 'runs', run))) {
    if (!/^rank-\d+\.jsonl$/.test(file)) continue;
    for (const raw of (await readFile(join(dataFolder, 'runs', run, file), 'utf8')).split('\n')) {
      const parsed = parseMetricLine(raw);
      if (!parsed.ok || parsed.line.kind !== 'step' || typeof parsed.line.step !== 'number') continue;
      const { step, t } = parsed.line;
      times.set(step, Math.min(t, times.get(step) ?? t));
    }
  }
  return times;
}
