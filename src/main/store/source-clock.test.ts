/** Fault 33: clocks that jump, and nodes whose clocks differ. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Engine } from './engine.ts';
import { bytesOf, line, runRecord, smallShape, temporaryFolder } from './testing/fixtures.ts';

const rank = (number: number, nodeId: string) => ({
  rank: number,
  nodeId,
  nodeName: nodeId,
  localRank: 0,
  state: 'running' as const,
  argv: [],
  env: {},
  directory: '/tmp',
});
const run = runRecord('r', {
  ranks: [rank(0, 'a'), rank(1, 'b')],
  clocks: { a: [{ from: 0, ahead: 0 }], b: [{ from: 0, ahead: -3600 }] },
});
const step = (seq: number, t: number): string => line(seq, 'step', { t, step: seq, epoch: 0, loss: seq });

async function over(engine: Engine, source: string) {
  const [series] = await engine.series({
    runId: 'r',
    series: [{ source, kind: source.startsWith('monitor') ? 'sample' : 'step', field: 'loss' }],
    x: 't',
    maxPoints: 1000,
  });
  return { x: series?.x, y: series?.y };
}

it('fault 33: lines dated by another clock are stored in order with the others, and the offset is reported', async () => {
  using folder = temporaryFolder();
  let engine = new Engine({ dataFolder: folder.path, shape: smallShape });
  await engine.saveRun(run);
  const append = (source: string, ...lines: string[]) =>
    engine.append({ runId: 'r', source, offset: 0, bytes: bytesOf(...lines) });
  await append('rank-0', step(0, 10_000), step(1, 10_001));
  const { points } = await append('rank-1', step(0, 6400.5), step(1, 6401.5));
  await append('monitor-b', line(0, 'sample', { t: 6402, loss: 5 }));
  expect(points.map((point) => point.line.t)).toEqual([10_000.5, 10_001.5]);
  const lines = await engine.lines({ runId: 'r', kinds: ['step'], limit: 10 });
  expect(lines.map(({ source, line: { seq, t } }) => [source, seq, t])).toEqual([
    ['rank-0', 0, 10_000],
    ['rank-1', 0, 10_000.5],
    ['rank-0', 1, 10_001],
    ['rank-1', 1, 10_001.5],
  ]);
  await engine.close();
  // The result is the same when rebuilt from the raw files.
  for (const remade of [false, true]) {
    if (remade) rmSync(join(folder.path, 'index.db'));
    engine = new Engine({ dataFolder: folder.path, shape: smallShape });
    expect(await over(engine, 'rank-1')).toEqual({ x: [10_000.5, 10_001.5], y: [0, 1] });
    expect(await over(engine, 'monitor-b')).toEqual({ x: [10_002], y: [5] });
    await engine.close();
  }
});

it('fault 33: a clock set back during a run changes no order and loses no point, also after a restart', async () => {
  using folder = temporaryFolder();
  const times = (from: number, count: number): number[] => Array.from({ length: count }, (_, n) => from + n);
  // Forward once, which may be a pause; back by an hour; a thread a moment late; back again.
  const dated = [...times(10_000, 20), 10_500, ...times(6900, 20), 6918.5, ...times(100, 30)];
  const expected = [...times(10_000, 20), 10_500, ...times(10_500, 20), 10_518.5, ...times(10_519, 30)];
  let engine = new Engine({ dataFolder: folder.path, shape: smallShape });
  await engine.saveRun(run);
  let offset = 0;
  for (const [seq, t] of dated.entries()) {
    if (seq === 30) {
      await engine.close();
      engine = new Engine({ dataFolder: folder.path, shape: smallShape });
    }
    const bytes = bytesOf(step(seq, t));
    ({ nextOffset: offset } = await engine.append({ runId: 'r', source: 'rank-0', offset, bytes }));
  }
  for (const remade of [false, true]) {
    if (remade) rmSync(join(folder.path, 'index.db'));
    const { x, y } = await over(engine, 'rank-0');
    expect(x).toEqual(expected.toSorted((a, b) => a - b));
    expect(y?.toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual(dated.map((_, seq) => seq));
    await engine.close();
    if (!remade) engine = new Engine({ dataFolder: folder.path, shape: smallShape });
  }
});

it('records that their writer kept for a while move no later line', async () => {
  using folder = temporaryFolder();
  const engine = new Engine({ dataFolder: folder.path, shape: smallShape });
  await engine.saveRun(run);
  const written: readonly (readonly [kind: string, t: number])[] = [
    ['scalar', 1000],
    ...[900, 950, 1000].map((t) => ['scalar', t] as const),
    ['file', 1001],
    ['scalar', 1002],
    // Of a writer that flushes each half hour.
    ['scalar', 1002 - 1800],
    ['scalar', 1003],
    // Of a clock that was set back.
    ['file', 1003 - 3600],
    ['scalar', 1004 - 3600],
  ];
  const lines = written.map(([kind, t], seq) => line(seq, kind, { t }));
  const { points } = await engine.append({
    runId: 'r',
    source: 'rank-0',
    offset: 0,
    bytes: bytesOf(...lines),
  });
  expect(points.map((point) => point.line.t)).toEqual([
    1000,
    900,
    950,
    1000,
    1001,
    1002,
    1002 - 1800,
    1003,
    1003,
    1004,
  ]);
  await engine.close();
});
