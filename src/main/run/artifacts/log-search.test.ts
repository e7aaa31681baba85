import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import type { Point } from '../../../shared/metrics/metrics.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import { searchLogs } from './log-search.ts';
import { newRun } from '../service/new-run.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-logs-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const lab = emptyLab('lab', 'Lab');
const rank = (number: number): RankRecord => ({
  rank: number,
  nodeId: `n${number}`,
  nodeName: `N${number}`,
  localRank: 0,
  state: 'done',
  argv: [],
  env: {},
  directory: '',
});
const run: RunRecord = {
  ...newRun(lab, { lab, nodeOrder: undefined, estimate: undefined }, 0),
  ranks: [rank(0), rank(1), rank(2)],
};
/** Ten steps an epoch; rank 1's clock and steps are two seconds later. */
const points = (of: number): Point[] => [
  {
    source: `rank-${of}`,
    line: { v: 1, seq: 0, t: 100 + 2 * of, kind: 'start', start_step: 0, steps_per_epoch: 10 },
  },
  { source: `rank-${of}`, line: { v: 1, seq: 1, t: 120 + 2 * of, kind: 'epoch', epoch: 0, step: 20 } },
];
const store = {
  runFolder: () => folder,
  lines: ({ source }: { source?: string | undefined }) => Promise.resolve(points(Number(source?.slice(5)))),
};

describe('the logs of all ranks', () => {
  it('are searched by time, with rank and line; a rank without a log is skipped', async () => {
    await writeFile(
      join(folder, 'rank-0.log.txt'),
      '=> creating model\nEpoch: [0][ 5/10]\tLoss 2\nwarning: slow\nEpoch: [1][ 5/10]\tLoss 1\n',
    );
    await writeFile(join(folder, 'rank-1.log.txt'), 'Epoch: [0][ 5/10]\tLoss 3\nWARNING: disk\n');
    const all = await searchLogs(store, run, { text: '', limit: 100 });
    expect(all.total).toBe(6);
    expect(all.lines.map((line) => [line.rank, line.number, line.t])).toEqual([
      [0, 1, undefined],
      [0, 2, 104],
      [0, 3, 104],
      [1, 1, 106],
      [1, 2, 106],
      [0, 4, 114],
    ]);
    const warnings = await searchLogs(store, run, { text: 'warning', limit: 100 });
    expect(warnings.lines.map((line) => line.text)).toEqual(['warning: slow', 'WARNING: disk']);
  });

  it('return the newest if there are too many, and count all', async () => {
    const text = Array.from({ length: 5000 }, (_, i) => `line ${i}`).join('\n');
    await writeFile(join(folder, 'rank-2.log.txt'), text);
    const found = await searchLogs(store, run, { text: 'LINE', limit: 10 });
    expect(found.total).toBe(5000);
    expect(found.lines).toHaveLength(10);
    expect(found.lines.at(-1)).toMatchObject({ rank: 2, number: 5000, text: 'line 4999' });
  });
});
