import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { MetricLine } from '../../../shared/metrics/metrics.ts';
import { writeCsv } from './metrics-export.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-csv-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

/** The file of lines with these fields. */
async function csvOf(...fields: Record<string, unknown>[]): Promise<string> {
  const path = join(folder, 'metrics.csv');
  await writeCsv(path, async function* () {
    for (const [seq, own] of fields.entries()) {
      const line: MetricLine = { v: 1, kind: 'scalar', seq, t: 5, ...own };
      yield await Promise.resolve({ source: 'rank-0', line });
    }
  });
  return await readFile(path, 'utf8');
}

it('names beyond ASCII are read by Excel, and other files begin with their header', async () => {
  expect(await csvOf({ loss: 1 })).toMatch(/^source,seq,t,kind,/);
  expect(await csvOf({ 损失: 1 })).toMatch(/^\uFEFFsource,seq,t,kind,.*损失/);
});

it('a field of a script’s line replaces no column that every line has', async () => {
  const [header = '', row = ''] = (await csvOf({ source: 'web', note: 'x' })).split('\r\n');
  const columns = header.split(',');
  expect(new Set(columns).size).toBe(columns.length);
  expect(row.split(',')[0]).toBe('rank-0');
  expect(columns).toContain('note');
});
