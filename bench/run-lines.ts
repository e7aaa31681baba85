/** Reads the raw lines of the newest run in a data folder. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseMetricLine } from '../src/shared/metrics.ts';

/** Rank 0's steps with the Unix time of their writing. */
export async function stepTimes(dataFolder: string): Promise<Map<number, number>> {
  const [run] = await readdir(join(dataFolder, 'runs'));
  if (run === undefined) throw new Error('no run is stored');
  const text = await readFile(join(dataFolder, 'runs', run, 'rank-0.jsonl'), 'utf8');
  const times = new Map<number, number>();
  for (const raw of text.split('\n')) {
    const parsed = parseMetricLine(raw);
    if (parsed.ok && parsed.line.kind === 'step' && typeof parsed.line.step === 'number')
      times.set(parsed.line.step, parsed.line.t);
  }
  return times;
}
