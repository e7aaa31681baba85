/** For tests: the stored lines of a run of the real trainer. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parseMetricLine, type MetricLine } from '../../../shared/metrics/metrics.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { Store } from '../../store/index.ts';

/** 0, 1, 2, …: `to` numbers. */
export const counting = (to: number): number[] => Array.from({ length: to }, (_, index) => index);

export async function linesOf(store: Store, runId: string, source: string): Promise<MetricLine[]> {
  const lines: MetricLine[] = [];
  for await (const point of store.allLines(runId)) if (point.source === source) lines.push(point.line);
  return lines;
}

export const stepsOf = (lines: readonly MetricLine[]): number[] =>
  lines.filter((line) => line.kind === 'step').map((line) => Number(line.step));

/**
 * Expects each of `count` steps once. A rank that is killed may have sent its part of a step and not written its line, and the others have saved
 * that step.
 * @param kills how many steps may be missing
 * @returns how many are
 */
export function expectEachStep(steps: readonly number[], count: number, kills: number): number {
  const missing = counting(count).filter((step) => !steps.includes(step));
  expect([...steps, ...missing].toSorted((a, b) => a - b)).toEqual(counting(count));
  expect(missing.length).toBeLessThanOrEqual(kills);
  return missing.length;
}

/** The lines of a file that parse: a kill, or a lack of power, cuts one short. */
function wholeLines(text: string): MetricLine[] {
  return text.split('\n').flatMap((line) => {
    const parsed = parseMetricLine(line);
    return parsed.ok ? [parsed.line] : [];
  });
}

/** Seconds: two attempts measure the nodes' clocks anew, on a busy machine. */
const clockError = 5;

/** Expects that all lines are of the time of the run, by this computer's clock, and in its order, whatever the nodes' clocks were. */
export async function expectRightTimes(store: Store, run: RunRecord): Promise<void> {
  const [start = 0, end = 0] = [run.startedAt, run.endedAt];
  for (const { rank } of run.ranks) {
    const times = (await linesOf(store, run.id, `rank-${rank}`)).map(({ t }) => t);
    const wrong = times.filter(
      (t, at) => t < start - clockError || t > end + clockError || t < (times[at - 1] ?? 0) - clockError,
    );
    expect(wrong, `rank ${rank}, ${start} to ${end}`).toEqual([]);
  }
}

/**
 * Expects that every whole line of the nodes is stored once and in order.
 * @param more lines are stored that a node has lost with its power
 */
export async function expectAllStored(store: Store, run: RunRecord, more = false): Promise<void> {
  for (const rank of run.ranks) {
    const onNode = wholeLines(await readFile(join(rank.directory, 'metrics.jsonl'), 'utf8'));
    const stored = await linesOf(store, run.id, `rank-${rank.rank}`);
    expect(stored.map((line) => line.seq)).toEqual(counting(stored.length));
    if (!more) expect(stored.length).toBe(onNode.length);
    for (const line of onNode) expect({ ...stored[line.seq], t: line.t }).toEqual(line);
  }
}
