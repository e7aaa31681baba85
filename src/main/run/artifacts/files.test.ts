/** Tests of reading nodes' files and writing local ones: chunks, lines, logs, exports. */
import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Point } from '../../../shared/metrics/metrics.ts';
import { lastWordsOf, mirrorLog, readSlice, sliceText } from '../follow/log-mirror.ts';
import { arrivalsOf } from '../follow/log-times.ts';
import { writeCsv, writeJson } from './metrics-export.ts';
import { cutAtLine, parseRead, readScript } from '../follow/node-files.ts';
import { progressAfter } from '../record/progress.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-files-'))));
afterEach(() => rm(folder, { recursive: true }));

describe('reading a node’s files', () => {
  it('returns exactly the bytes from each offset, through a real shell', async () => {
    const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256));
    const path = join(folder, "it's a file");
    await writeFile(path, bytes);
    const requests = [
      { key: 'a', path, offset: 0, limit: 1000 },
      { key: 'b', path, offset: 990, limit: 4 },
      { key: 'c', path, offset: 1000, limit: 10 },
      { key: 'd', path, offset: 5000, limit: 10 },
      { key: 'gone', path: join(folder, 'gone'), offset: 0, limit: 10 },
    ];
    const chunks = parseRead(
      execFileSync('sh', ['-c', readScript(requests)], { encoding: 'utf8' }),
      requests,
    );
    expect(Buffer.from(chunks.get('a')!.bytes).equals(bytes)).toBe(true);
    expect([...chunks.get('b')!.bytes]).toEqual([...bytes.subarray(990, 994)]);
    expect(chunks.get('c')).toMatchObject({ offset: 1000, size: 1000 });
    expect(chunks.get('d')).toMatchObject({ offset: 5000, size: 1000 });
    expect(chunks.has('gone')).toBe(false);
  });

  it('ignores an answer that was truncated', () => {
    const requests = [{ key: 'a', path: '/a', offset: 0, limit: 10 }];
    expect(() => parseRead('file a 10\naGVs', requests)).toThrow('transfer_failed');
  });

  it('fault 29: ends at the last newline, and leaves an incomplete multi-byte line', () => {
    const bytes = Buffer.from('{"a":1}\n{"b":"图');
    expect(cutAtLine(bytes)).toEqual({ whole: bytes.subarray(0, 8), torn: bytes.length - 8 });
    expect(cutAtLine(Buffer.from('torn'))).toEqual({ whole: Buffer.alloc(0), torn: 4 });
    expect(cutAtLine(Buffer.from('whole\n')).torn).toBe(0);
  });
});

describe('logs', () => {
  it('are mirrored once even if chunks overlap, and restart if the node’s file shrank', async () => {
    const path = join(folder, 'rank-0.log.txt');
    const chunk = (offset: number, text: string, size = offset + text.length) => ({
      offset,
      bytes: Buffer.from(text),
      size,
    });
    expect(await mirrorLog(path, chunk(0, 'hello '), 100)).toBe(true);
    expect(await mirrorLog(path, chunk(3, 'lo world'), 100)).toBe(true);
    expect(await mirrorLog(path, chunk(20, 'a hole'), 100)).toBe(false);
    expect(await readFile(path, 'utf8')).toBe('hello world');
    await mirrorLog(path, chunk(11, '', 2), 100);
    await mirrorLog(path, chunk(0, 'new'), 100);
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await readFile(join(folder, 'rank-0.log.before.txt'), 'utf8')).toBe('hello world');
  });

  it('say when each line arrived, after a crash too; older copies say nothing', async () => {
    const path = join(folder, 'rank-0.log.txt');
    await writeFile(path, 'old\n');
    const take = (text: string, now: number) =>
      mirrorLog(path, { offset: 0, bytes: Buffer.from(text), size: text.length }, now);
    await take('old\none\ntw', 100);
    await take('old\none\ntwo\nthree\n', 102);
    // Within a second: the same time.
    await take('old\none\ntwo\nthree\nfour\n', 102.5);
    // A crash left half a mark.
    await appendFile(join(folder, 'rank-0.log.times'), 'torn');
    await take('old\none\ntwo\nthree\nfour\nfive\n', 200);
    const bytes = await readFile(path);
    expect(bytes.toString()).toBe('old\none\ntwo\nthree\nfour\nfive\n');
    // 'two' began to arrive at 100.
    expect(await arrivalsOf(path, bytes, 0)).toEqual([
      { line: 1, t: 100 },
      { line: 3, t: 102 },
      { line: 5, t: 200 },
    ]);
    expect(await arrivalsOf(path, bytes.subarray(4, 10), 4)).toEqual([{ line: 0, t: 100 }]);
    expect(await arrivalsOf(path, bytes.subarray(20), 20)).toEqual([
      { line: 0, t: 102 },
      { line: 1, t: 200 },
    ]);
    expect(await arrivalsOf(path, bytes.subarray(0, 4), 0)).toEqual([]);
    expect(await arrivalsOf(join(folder, 'none.txt'), bytes, 0)).toEqual([]);
    // The node's log starts again.
    await mirrorLog(path, { offset: 40, bytes: Buffer.from(''), size: 3 }, 300);
    await mirrorLog(path, { offset: 0, bytes: Buffer.from('new'), size: 3 }, 301);
    expect(await arrivalsOf(path, await readFile(path), 0)).toEqual([{ line: 0, t: 301 }]);
  });

  it('are read in whole characters from any slice', async () => {
    const text = 'aé图🦊z'.repeat(20);
    const path = join(folder, 'log');
    await writeFile(path, text);
    for (const limit of [4, 5, 7, 11]) {
      let read = '';
      let offset = 0;
      for (let slices = 0; slices < 200; slices += 1) {
        const slice = await readSlice(path, offset, limit);
        const part = sliceText(slice!.bytes, slice!.offset, slice!.size);
        if (part.nextOffset === offset) break;
        read += part.text;
        offset = part.nextOffset;
      }
      expect(read).toBe(text);
    }
    const end = await readSlice(path, -3, 100);
    expect(sliceText(end!.bytes, end!.offset, end!.size).text).toBe('z');
    expect(await readSlice(join(folder, 'none'), 0, 10)).toBeUndefined();
  });

  it('return their last lines as text, without colours and overwritten progress bars', () => {
    expect(lastWordsOf('one\n\u001b[31mred\u001b[0m\n\n10%\r50%\r99%\nlast\u0007\n', 3)).toEqual([
      'red',
      '99%',
      'last',
    ]);
    expect(lastWordsOf('x'.repeat(9000))[0]).toHaveLength(500);
  });
});

const point = (seq: number, kind: string, fields: Record<string, unknown>): Point => ({
  source: 'rank-0',
  line: { v: 1, seq, t: 1.5, kind, ...fields },
});
const lines = (...points: Point[]) =>
  async function* (): AsyncGenerator<Point> {
    await Promise.resolve();
    yield* points;
  };

describe('exports', () => {
  it('CSV: one row per point, one column per field, quoted by RFC 4180', async () => {
    const path = join(folder, 'm.csv');
    const all = lines(
      point(0, 'step', { loss: 2, lr: 1e-7 }),
      point(1, 'warning', { message: 'a "b", c\nd' }),
      point(2, 'step', { loss: 'NaN', gpus: [{ index: 0, utilization_percent: 5 }] }),
    );
    const bytes = await writeCsv(path, all);
    const text = await readFile(path, 'utf8');
    expect(bytes).toBe(text.length);
    expect(text).toBe(
      'source,seq,t,kind,loss,lr,message,gpus.0.index,gpus.0.utilization_percent\r\n' +
        'rank-0,0,1.5,step,2,1e-7,,,\r\n' +
        'rank-0,1,1.5,warning,,,"a ""b"", c\nd",,\r\n' +
        'rank-0,2,1.5,step,NaN,,,0,5\r\n',
    );
  });

  it('JSON: an array of the original lines, empty without lines', async () => {
    const path = join(folder, 'm.json');
    await writeJson(path, lines(point(0, 'step', { loss: 2 }), point(1, 'end', {})));
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual([
      { source: 'rank-0', v: 1, seq: 0, t: 1.5, kind: 'step', loss: 2 },
      { source: 'rank-0', v: 1, seq: 1, t: 1.5, kind: 'end' },
    ]);
    await writeJson(path, lines());
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual([]);
  });
});

describe('progress', () => {
  const after = (...points: Point[]) =>
    progressAfter(
      {},
      points.map(({ line }) => line),
    );

  it('follows rank 0’s lines, and goes back if a resumed attempt starts', () => {
    const epoch = [
      point(0, 'start', { start_epoch: 0, start_step: 0 }),
      point(1, 'step', { step: 4, loss: 2 }),
      point(2, 'eval', { step: 5, top1: 40, top5: 80 }),
      point(3, 'epoch', { epoch: 0, best_top1: 40 }),
    ];
    expect(after(...epoch)).toEqual({
      sharedBytes: 0,
      step: 5,
      loss: 2,
      top1: 40,
      top5: 80,
      bestTop1: 40,
      epochsCompleted: 1,
    });
    const worse = [
      point(4, 'eval', { top1: 30, top5: 70 }),
      point(5, 'start', { start_epoch: 1, start_step: 3 }),
    ];
    expect(after(...epoch, ...worse)).toMatchObject({ step: 3, top1: 30, bestTop1: 40, epochsCompleted: 1 });
  });

  it('fault 31: marks a non-finite loss as a gap, and reads no text as a number', () => {
    expect(after(point(0, 'step', { step: 0, loss: 'NaN' }))).toEqual({ step: 1, loss: null });
    expect(after(point(0, 'step', { step: 'x', loss: 'much' }))).toEqual({});
    expect(after(point(0, 'eval', { top1: 'Infinity' }))).toEqual({ top1: null });
  });
});
