import { expect, it } from 'vitest';
import type { MetricLine } from '../../shared/metrics/metrics.ts';
import { newestOf, type SourceLines } from './newest.ts';
import { randomFrom } from './testing/fixtures.ts';

/** Lines in memory, and how many of them were read. */
function logOf(source: SourceLines['source'], lines: readonly MetricLine[]) {
  const read: number[] = [];
  const log: SourceLines = {
    source,
    rowsOf(kind) {
      const own = lines.filter((line) => line.kind === kind);
      return own.length === 0
        ? undefined
        : { rows: own.length, keyAt: (key, row) => own[row]?.[key] ?? Number.NaN };
    },
    linesAt(seqs) {
      read.push(...seqs);
      return seqs.flatMap((seq) => lines.filter((line) => line.seq === seq));
    },
  };
  return { log, read };
}

it('reads no more lines than it returns, however many sources there are', () => {
  const logs = Array.from({ length: 50 }, (_, rank) =>
    logOf(
      `rank-${rank}`,
      Array.from({ length: 200 }, (__, seq) => ({ v: 1, seq, t: seq + rank / 100, kind: 'step' })),
    ),
  );
  const found = newestOf(
    logs.map(({ log }) => log),
    ['step'],
    120,
  );
  expect(found).toHaveLength(120);
  expect(found.at(-1)).toMatchObject({ source: 'rank-49', line: { seq: 199 } });
  expect(logs.reduce((sum, { read }) => sum + read.length, 0)).toBe(120);
});

it('keeps each source’s own order, and lets the clocks decide between sources', () => {
  const random = randomFrom(7);
  for (let round = 0; round < 30; round += 1) {
    const all = Array.from({ length: 4 }, (_, rank) => {
      const source: SourceLines['source'] = `rank-${rank}`;
      let t = 0;
      const lines = Array.from({ length: Math.floor(random() * 200) }, (__, seq): MetricLine => {
        // A clock that is set back now and then.
        t += random() < 0.05 ? -20 : random();
        return { v: 1, seq: 2 * seq, t, kind: random() < 0.7 ? 'step' : random() < 0.5 ? 'eval' : 'start' };
      });
      return { source, lines };
    });
    const limit = 1 + Math.floor(random() * 300);
    const left = all.map(({ source, lines }) => ({
      source,
      lines: lines.filter(({ kind }) => kind !== 'start'),
    }));
    const expected = [];
    while (expected.length < limit) {
      const [newest] = left
        .filter(({ lines }) => lines.length > 0)
        .toSorted((a, b) => (b.lines.at(-1)?.t ?? 0) - (a.lines.at(-1)?.t ?? 0));
      const line = newest?.lines.pop();
      if (newest === undefined || line === undefined) break;
      expected.unshift({ source: newest.source, line });
    }
    const logs = all.map(({ source, lines }) => logOf(source, lines).log);
    expect(newestOf(logs, ['step', 'eval', 'step'], limit)).toEqual(expected);
  }
});
