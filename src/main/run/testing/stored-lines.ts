/** For tests: the stored lines of a run of the real trainer. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { MetricLine } from '../../../shared/metrics/metrics.ts';
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

/** Expects that every line of the nodes is stored once, in the raw file byte for byte and in the index. */
export async function expectAllStored(store: Store, run: RunRecord): Promise<void> {
  for (const rank of run.ranks) {
    const onNode = await readFile(join(rank.directory, 'metrics.jsonl'), 'utf8');
    const seqs = (await linesOf(store, run.id, `rank-${rank.rank}`)).map((line) => line.seq);
    expect(seqs).toEqual(counting(onNode.split('\n').length - 1));
  }
}
