import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Point } from '../../shared/metrics/metrics.ts';
import { openStore, type Store } from './index.ts';
import { bytesOf, line, runRecord, stepLine, temporaryFolder } from './testing/fixtures.ts';

let folder: ReturnType<typeof temporaryFolder>;
let store: Store;

beforeEach(async () => {
  folder = temporaryFolder();
  ({ store } = await openStore(folder.path));
  await store.saveRun(runRecord('r1'));
});
afterEach(async () => {
  await store.close();
  folder[Symbol.dispose]();
});

const append = (bytes: Uint8Array, offset: number, source = 'rank-0') =>
  store.append({ runId: 'r1', source, offset, bytes });
const loss = async (x: 'step' | 'epoch' | 't' = 'step', source = 'rank-0', kind = 'step') => {
  const [series] = await store.series({
    runId: 'r1',
    series: [{ source, kind, field: 'loss' }],
    x,
    maxPoints: 1000,
  });
  return series!;
};
async function collect(lines: AsyncIterable<Point>): Promise<Point[]> {
  const all: Point[] = [];
  for await (const point of lines) all.push(point);
  return all;
}

describe('runs', () => {
  it('writes a run to its folder and finds it again', async () => {
    await store.saveRun(runRecord('r1', { state: 'finished', name: '三个节点 🚀' }));
    const file = join(store.runFolder('r1'), 'run.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ id: 'r1', state: 'finished' });
    expect(await store.getRun('r1')).toMatchObject({ name: '三个节点 🚀' });
    expect(await store.getRun('other')).toBeUndefined();
    await store.close();
    ({ store } = await openStore(folder.path));
    expect((await store.listRuns()).map((run) => [run.id, run.state])).toEqual([['r1', 'finished']]);
  });

  it('lists the newest run first', async () => {
    await store.saveRun(runRecord('newer', { createdAt: 1_800_000_000 }));
    expect((await store.listRuns()).map((run) => run.id)).toEqual(['newer', 'r1']);
  });

  it('trusts run.json if the index differs', async () => {
    await store.close();
    const path = join(folder.path, 'runs', 'r1', 'run.json');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(path, JSON.stringify(runRecord('r1', { notes: 'written by a process that died at once' })));
    ({ store } = await openStore(folder.path));
    expect((await store.getRun('r1'))?.notes).toBe('written by a process that died at once');
  });

  it('deletes a run with its folder and its points', async () => {
    await append(bytesOf(stepLine(0, 0)), 0);
    await store.deleteRun('r1');
    expect(existsSync(store.runFolder('r1'))).toBe(false);
    expect(await store.getRun('r1')).toBeUndefined();
    await expect(store.countPoints('r1')).rejects.toMatchObject({ code: 'not_found' });
    await store.saveRun(runRecord('r1'));
    expect(await store.countPoints('r1')).toBe(0);
  });

  it.each(['../r1', 'a/b', '', '.', 'x'.repeat(65)])('refuses the run id %j', async (id) => {
    await expect(store.getRun(id)).rejects.toMatchObject({ code: 'bad_request' });
    await expect(store.saveRun(runRecord(id))).rejects.toMatchObject({ code: 'bad_request' });
    await expect(
      store.append({ runId: id, source: 'rank-0', offset: 0, bytes: bytesOf('{}\n') }),
    ).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('refuses lines of an invalid run or source', async () => {
    const chunk = { runId: 'unknown', source: 'rank-0', offset: 0, bytes: bytesOf(stepLine(0, 0)) };
    await expect(store.append(chunk)).rejects.toMatchObject({ code: 'not_found' });
    await expect(append(bytesOf(stepLine(0, 0)), 0, '../../etc')).rejects.toMatchObject({
      code: 'bad_request',
    });
  });
});

describe('append', () => {
  it('keeps the exact bytes and returns the new lines', async () => {
    const bytes = bytesOf(stepLine(0, 0), stepLine(1, 1));
    const appended = await append(bytes, 0);
    expect(appended.points.map((point) => point.line.seq)).toEqual([0, 1]);
    expect(appended.points[0]).toMatchObject({ source: 'rank-0', line: { kind: 'step', loss: 1 } });
    expect(appended).toMatchObject({ badLines: 0, nextOffset: bytes.length });
    expect(readFileSync(join(store.runFolder('r1'), 'rank-0.jsonl'))).toEqual(Buffer.from(bytes));
    expect(await store.offset('r1', 'rank-0')).toBe(bytes.length);
    expect(await store.offset('r1', 'rank-1')).toBe(0);
  });

  it('truncates overlaps, ignores stored lines, refuses a gap', async () => {
    const first = bytesOf(stepLine(0, 0), stepLine(1, 1));
    const all = bytesOf(stepLine(0, 0), stepLine(1, 1), stepLine(2, 2));
    await append(first, 0);
    expect((await append(all, 0)).points.map((point) => point.line.seq)).toEqual([2]);
    expect(await append(first, 0)).toEqual({ points: [], badLines: 0, nextOffset: all.length });
    await expect(append(bytesOf(stepLine(4, 4)), all.length + 1)).rejects.toMatchObject({
      code: 'bad_request',
    });
    expect(await store.countPoints('r1')).toBe(3);
  });

  it('fault 29: an incomplete last line is read once it is complete', async () => {
    const whole = Buffer.from(bytesOf(stepLine(0, 0), stepLine(1, 1)));
    const torn = whole.length - 7;
    const first = await append(whole.subarray(0, torn), 0);
    expect(first.points.map((point) => point.line.seq)).toEqual([0]);
    expect(first.nextOffset).toBe(Buffer.from(stepLine(0, 0)).length);
    expect(await append(whole.subarray(first.nextOffset, torn), first.nextOffset)).toMatchObject({
      points: [],
      badLines: 0,
      nextOffset: first.nextOffset,
    });
    const second = await append(whole.subarray(first.nextOffset), first.nextOffset);
    expect(second).toMatchObject({ badLines: 0, nextOffset: whole.length });
    expect(second.points.map((point) => point.line.seq)).toEqual([1]);
    expect((await loss()).x).toEqual([0, 1]);
  });

  it('fault 29: a line that stays incomplete is kept and counted, and the next ones are read', async () => {
    const bytes = bytesOf(stepLine(0, 0), '{"v":1,"seq":1,"t":170\n', 'not json at all\n', stepLine(1, 1));
    const appended = await append(bytes, 0);
    expect(appended).toMatchObject({ badLines: 2, nextOffset: bytes.length });
    expect((await loss()).x).toEqual([0, 1]);
    expect(readFileSync(join(store.runFolder('r1'), 'rank-0.jsonl'))).toEqual(Buffer.from(bytes));
  });

  it('fault 30: repeated lines and lines out of order become one point each, in order', async () => {
    const order = [3, 0, 2, 2, 1, 0, 5, 4, 3];
    let offset = 0;
    const seen: number[] = [];
    for (const n of order) {
      const { points, nextOffset } = await append(bytesOf(stepLine(n, n, n / 10)), offset);
      offset = nextOffset;
      seen.push(...points.map((point) => point.line.seq));
    }
    expect(seen).toEqual([3, 0, 2, 1, 5, 4]);
    expect(await loss()).toMatchObject({ x: [0, 1, 2, 3, 4, 5], y: [0, 0.1, 0.2, 0.3, 0.4, 0.5], total: 6 });
    expect((await collect(store.allLines('r1'))).map((point) => point.line.seq)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await store.countPoints('r1')).toBe(6);
  });

  it('fault 31: a non-finite value is a marked gap, 1e308 is a number, and raw values are kept', async () => {
    const bytes = bytesOf(
      stepLine(0, 0, 1),
      stepLine(1, 1, 'NaN'),
      stepLine(2, 2, 'Infinity'),
      stepLine(3, 3, '-Infinity'),
      stepLine(4, 4, 1e308),
      stepLine(5, 5, -1e308),
      line(6, 'step', { epoch: 0, step: 6 }),
      '{"v":1,"seq":7,"t":1,"kind":"step","epoch":0,"step":7,"loss":1e999}\n',
    );
    expect(await append(bytes, 0)).toMatchObject({ badLines: 0 });
    expect(await loss()).toMatchObject({
      x: [0, 1, 2, 3, 4, 5, 7],
      y: [1, null, null, null, 1e308, -1e308, null],
      total: 7,
    });
    const raw = readFileSync(join(store.runFolder('r1'), 'rank-0.jsonl'), 'utf8');
    expect(raw).toContain('"-Infinity"');
    expect((await collect(store.allLines('r1')))[2]?.line.loss).toBe('Infinity');
    const empty = await loss('step', 'rank-9');
    expect(empty).toMatchObject({ x: [], y: [], total: 0 });
  });

  it("starts again if the node's file did, and keeps stored lines", async () => {
    await append(bytesOf(stepLine(0, 0), stepLine(1, 1)), 0);
    expect(await store.lastSeq('r1', 'rank-0')).toBe(1);
    await store.restart('r1', 'rank-0');
    expect(await store.offset('r1', 'rank-0')).toBe(0);
    expect(await store.lastSeq('r1', 'rank-0')).toBe(1);
    expect(await store.lastSeq('r1', 'rank-7')).toBe(-1);
    const again = bytesOf(stepLine(1, 1), stepLine(2, 2));
    expect((await append(again, 0)).points.map((point) => point.line.seq)).toEqual([2]);
    await store.restart('r1', 'rank-0');
    await store.restart('r1', 'rank-0');
    await append(bytesOf(stepLine(3, 3)), 0);
    await store.close();
    ({ store } = await openStore(folder.path));
    expect(await store.offset('r1', 'rank-0')).toBe(Buffer.from(stepLine(3, 3)).length);
    expect((await collect(store.allLines('r1'))).map((point) => point.line.seq)).toEqual([0, 1, 2, 3]);
  });
});

describe('reading', () => {
  it('returns a resumed run as one curve, and keeps the undone lines', async () => {
    const first = Array.from({ length: 8 }, (_, i) => stepLine(i + 1, i, 100 + i));
    const second = Array.from({ length: 6 }, (_, i) => stepLine(i + 20, i + 5, 200 + i));
    await append(
      bytesOf(
        line(0, 'start', { start_step: 0, start_epoch: 0 }),
        ...first,
        line(10, 'eval', { epoch: 0, step: 4, loss: 1 }),
        line(11, 'eval', { epoch: 1, step: 7, loss: 2 }),
        line(12, 'start', { start_step: 5, start_epoch: 1 }),
        ...second,
        line(40, 'eval', { epoch: 1, step: 7, loss: 3 }),
      ),
      0,
    );
    expect(await loss('step')).toMatchObject({
      x: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      y: [100, 101, 102, 103, 104, 200, 201, 202, 203, 204, 205],
      total: 11,
    });
    expect(await loss('epoch', 'rank-0', 'eval')).toMatchObject({ x: [0, 1], y: [1, 3] });
    expect((await loss('t')).total).toBe(14);
    expect(await store.countPoints('r1')).toBe(19);
  });

  it('places lines without steps by time', async () => {
    await append(
      bytesOf(line(0, 'sample', { cpu_percent: 5 }), line(1, 'sample', { cpu_percent: 7 })),
      0,
      'monitor-n1',
    );
    const [cpu] = await store.series({
      runId: 'r1',
      series: [{ source: 'monitor-n1', kind: 'sample', field: 'cpu_percent' }],
      x: 'step',
      maxPoints: 10,
    });
    expect(cpu).toMatchObject({ x: [1_700_000_000, 1_700_000_001], y: [5, 7] });
  });

  it('lists the series, with nested fields and without the axes', async () => {
    await append(
      bytesOf(line(0, 'sample', { gpus: [{ index: 0, name: 'RTX', utilization_percent: 90 }] })),
      0,
      'monitor-n1',
    );
    await append(bytesOf(stepLine(0, 0), stepLine(1, 1)), 0);
    const found = (await store.catalogue('r1')).map(
      ({ source, kind, field, ...counts }) => [`${source}/${kind}/${field}`, counts] as const,
    );
    expect(found).toContainEqual(['rank-0/step/loss', { points: 2, steps: 2, epochs: 2 }]);
    const gpu = 'monitor-n1/sample/gpus.0.utilization_percent';
    expect(found).toContainEqual([gpu, { points: 1, steps: 0, epochs: 0 }]);
    expect(found.filter(([name]) => /\/(?:t|step|epoch|seq|v)$/.test(name))).toEqual([]);
  });

  it('finds the newest lines of some kinds, oldest first', async () => {
    await append(bytesOf(...[0, 1, 2, 3].map((n) => line(n, n % 2 === 0 ? 'warning' : 'checkpoint'))), 0);
    await append(bytesOf(line(0, 'warning', { message: 'from rank 1' })), 0, 'rank-1');
    const seqs = async (kinds: string[], limit: number, source?: string) =>
      (await store.lines({ runId: 'r1', kinds, limit, source })).map((point) => [
        point.source,
        point.line.seq,
      ]);
    expect(await seqs(['warning', 'checkpoint'], 2)).toEqual([
      ['rank-0', 2],
      ['rank-0', 3],
    ]);
    expect(await seqs(['warning'], 10)).toHaveLength(3);
    expect(await seqs(['warning'], 10, 'rank-1')).toEqual([['rank-1', 0]]);
    expect(await seqs(['constructor'], 10)).toEqual([]);
  });

  it('streams every line in order of source and seq, ranks by number', async () => {
    for (const source of ['rank-10', 'rank-2', 'monitor-a'])
      await append(bytesOf(...Array.from({ length: 1500 }, (_, n) => stepLine(n, n))), 0, source);
    const all = await collect(store.allLines('r1'));
    expect(all).toHaveLength(4500);
    expect([...new Set(all.map((point) => point.source))]).toEqual(['rank-2', 'rank-10', 'monitor-a']);
    expect(all.slice(0, 1500).every((point, n) => point.line.seq === n)).toBe(true);
  });
});

describe('settings and closing', () => {
  it('keeps settings', async () => {
    expect(await store.getSetting('language')).toBeUndefined();
    await Promise.all([store.setSetting('language', 'zh-CN'), store.setSetting('theme', 'dark')]);
    await store.close();
    ({ store } = await openStore(folder.path));
    expect(await store.getSetting('language')).toBe('zh-CN');
    expect(await store.getSetting('theme')).toBe('dark');
  });

  it('completes active calls and answers later ones with cancelled', async () => {
    const appending = append(bytesOf(stepLine(0, 0)), 0);
    const closing = store.close();
    expect((await appending).points).toHaveLength(1);
    await closing;
    await store.close();
    await expect(store.listRuns()).rejects.toMatchObject({ code: 'cancelled' });
  });
});
