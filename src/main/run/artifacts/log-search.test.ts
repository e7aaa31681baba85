import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import type { Point } from '../../../shared/metrics/metrics.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import type { LinesQuery } from '../../store/contract.ts';
import { mirrorLog } from '../follow/log-mirror.ts';
import { defaultSettings } from '../record/settings.ts';
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
  { source: `rank-${of}`, line: { v: 1, seq: 1, t: 120 + 2 * of, kind: 'epoch', epoch: 1, step: 20 } },
];
const store = {
  runFolder: () => folder,
  lines: ({ source, kinds }: Pick<LinesQuery, 'source' | 'kinds'>) =>
    Promise.resolve(points(Number(source?.slice(5))).filter(({ line }) => kinds.includes(line.kind))),
};

/** A store of rank 0's lines, and its log, which the test adds to. */
function rankLines() {
  const known: Point[] = [];
  const log: string[] = [];
  const add = (t: number, kind: string, fields: object): void => {
    known.push({ source: 'rank-0', line: { v: 1, seq: known.length + 1, t, kind, ...fields } });
  };
  const print = (epoch: number, batch: number, batches: number, name: string): void =>
    void log.push(`Epoch: [${epoch}][${String(batch + 1).padStart(4)}/${batches}]\t${name}\n`);
  const lines = async ({ kinds, limit }: Pick<LinesQuery, 'kinds' | 'limit'>) =>
    Promise.resolve(known.filter(({ line }) => kinds.includes(line.kind)).slice(-limit));
  const search = async (asked: Parameters<typeof searchLogs>[2]) => {
    await writeFile(join(folder, 'rank-0.log.txt'), log.join(''));
    return searchLogs({ store: { ...store, lines }, settings: defaultSettings }, run, asked);
  };
  return { add, print, search };
}

/** Several attempts: a step a second, 1000 an epoch. @param every which steps are printed */
function attempts(every: number) {
  const { add, print, search } = rankLines();
  const attempt = (t: number, from: number, to: number, name: string): void => {
    add(t, 'start', { start_step: from, steps_per_epoch: 1000 });
    for (let step = from; step < to; step += 1) {
      const epoch = Math.floor(step / 1000);
      add(t + step - from, 'step', { step });
      if (step % 1000 === 999) add(t + step - from, 'epoch', { epoch, step: step + 1 });
      if (step % every === 0) print(epoch, step % 1000, 1000, name);
    }
  };
  return { attempt, search };
}

describe('the logs of all ranks', () => {
  it('are searched by time, with rank and line; a rank without a log is skipped', async () => {
    await writeFile(
      join(folder, 'rank-0.log.txt'),
      '=> creating model\nEpoch: [0][ 5/10]\tLoss 2\nwarning: slow\nEpoch: [1][ 5/10]\tLoss 1\n',
    );
    await writeFile(join(folder, 'rank-1.log.txt'), 'Epoch: [0][ 5/10]\tLoss 3\nWARNING: disk\n');
    const all = await searchLogs({ store, settings: defaultSettings }, run, { text: '', limit: 100 });
    expect(all.total).toBe(6);
    expect(all.lines.map((line) => [line.rank, line.number, line.t])).toEqual([
      [0, 1, undefined],
      [0, 2, 104],
      [0, 3, 104],
      [1, 1, 106],
      [1, 2, 106],
      [0, 4, 114],
    ]);
    const warnings = await searchLogs({ store, settings: defaultSettings }, run, {
      text: 'warning',
      limit: 100,
    });
    expect(warnings.lines.map((line) => line.text)).toEqual(['warning: slow', 'WARNING: disk']);
  });

  it('return the newest if there are too many, and count all', async () => {
    const text = Array.from({ length: 5000 }, (_, i) => `line ${i}`).join('\n');
    await writeFile(join(folder, 'rank-2.log.txt'), text);
    const found = await searchLogs({ store, settings: defaultSettings }, run, { text: 'LINE', limit: 10 });
    expect(found.total).toBe(5000);
    expect(found.lines).toHaveLength(10);
    expect(found.lines.at(-1)).toMatchObject({ rank: 2, number: 5000, text: 'line 4999' });
  });

  it('are dated in the attempt that each line is from, where steps were done again', async () => {
    const { attempt, search } = attempts(20);
    attempt(1000, 0, 90, 'first');
    attempt(5000, 50, 90, 'second');
    attempt(9000, 50, 130, 'third');
    const found = await search({ text: '', limit: 8 });
    expect(found.lines.map(({ number, t, text }) => [number, t, text.split('\t')[1]])).toEqual([
      [4, 1060, 'first'],
      [5, 1080, 'first'],
      [6, 5010, 'second'],
      [7, 5030, 'second'],
      [8, 9010, 'third'],
      [9, 9030, 'third'],
      [10, 9050, 'third'],
      [11, 9070, 'third'],
    ]);
  });

  it('are dated in an attempt whose steps are before the newest that are read', async () => {
    const { attempt, search } = attempts(100);
    attempt(1000, 0, 3500, 'first');
    attempt(10_000, 3000, 8000, 'second');
    const found = await search({ text: '[3]', limit: 100 });
    const times = new Map(
      found.lines.map(({ t, text }) => [text.replaceAll(/\s+/g, ' '), Math.round(t ?? 0)]),
    );
    expect(times.get('Epoch: [3][ 401/1000] first')).toBeLessThan(4600);
    expect(times.get('Epoch: [3][ 1/1000] second')).toBe(10_000);
    // Between two lines that are known, to a second.
    expect(times.get('Epoch: [3][ 901/1000] second')).toBeCloseTo(10_900, -1);
  });

  it('are dated by their steps where epochs are longer since a rank was lost, and after a resume of such a run', async () => {
    const { add, print, search } = rankLines();
    const printed: number[] = [];
    let t = 1000;
    const train = (
      from: number,
      epochs: readonly (readonly [epoch: number, first: number, end: number, batches: number])[],
      name: string,
    ): void => {
      let step = from;
      const [[start_epoch = 0] = [], [, , , steps_per_epoch] = []] = [epochs[0], epochs[0]];
      add(t, 'start', { start_step: step, start_epoch, steps_per_epoch });
      for (const [epoch, first, end, batches] of epochs) {
        for (let batch = first; batch < end; batch += 1, step += 1, t += 1) {
          add(t, 'step', { epoch, step, batch, batches });
          if (batch % 10 !== 0) continue;
          print(epoch, batch, batches, name);
          printed.push(t);
        }
        if (end === batches) add(t, 'epoch', { epoch, step });
      }
      t += 1000;
    };
    // Of two ranks one is lost in epoch 1; it is back from the last save on, in the middle of epoch 3.
    train(
      0,
      [
        [0, 0, 20, 20],
        [1, 0, 20, 20],
        [2, 0, 40, 40],
        [3, 0, 35, 40],
      ],
      'first',
    );
    train(
      105,
      [
        [3, 25, 40, 40],
        [4, 0, 20, 20],
        [5, 0, 20, 20],
      ],
      'second',
    );
    const { lines } = await search({ text: '', limit: 100 });
    expect(lines.map((line) => line.t)).toEqual(printed);
  });

  it('of own scripts are merged by when their lines arrived', async () => {
    const lines = () => Promise.resolve([]);
    const arrive = async (of: number, t: number, text: string): Promise<void> => {
      const path = join(folder, `rank-${of}.log.txt`);
      const { size } = await stat(path).catch(() => ({ size: 0 }));
      const bytes = Buffer.from(text);
      await mirrorLog(path, { size: size + bytes.length, offset: size, bytes }, t);
    };
    await arrive(0, 100, 'äöü a\nb ist');
    await arrive(1, 105, 'c\n');
    await arrive(0, 110, ' torn\nd\n');
    await arrive(1, 115, 'e\n');
    const found = await searchLogs({ store: { ...store, lines }, settings: defaultSettings }, run, {
      text: '',
      limit: 4,
    });
    expect(found.lines.map(({ rank: of, number, t, text }) => [of, number, t, text])).toEqual([
      [0, 2, 100, 'b ist torn'],
      [1, 1, 105, 'c'],
      [0, 3, 110, 'd'],
      [1, 2, 115, 'e'],
    ]);
  });

  it('without any times have the newest of each rank', async () => {
    const lines = () => Promise.resolve([]);
    const many = (count: number): string => Array.from({ length: count }, (_, i) => `loss ${i}`).join('\n');
    await Promise.all(
      [300, 300, 10].map((count, of) => writeFile(join(folder, `rank-${of}.log.txt`), many(count))),
    );
    const found = await searchLogs({ store: { ...store, lines }, settings: defaultSettings }, run, {
      text: 'loss',
      limit: 200,
    });
    expect([0, 1, 2].map((of) => found.lines.filter((line) => line.rank === of).length)).toEqual([
      95, 95, 10,
    ]);
    expect(found.lines.find((line) => line.rank === 0)).toMatchObject({ number: 206, text: 'loss 205' });
    expect(found.total).toBe(610);
  });

  it('have lines of megabytes, of which the end is searched', async () => {
    const lines = () => Promise.resolve([]);
    const path = join(folder, 'rank-0.log.txt');
    const long = Buffer.from(`early ${'x'.repeat(1_000_000)} found\n`);
    const short = Buffer.from('found\r\nlate');
    await mirrorLog(path, { size: long.length, offset: 0, bytes: long }, 100);
    await mirrorLog(path, { size: long.length + short.length, offset: long.length, bytes: short }, 110);
    const search = async (text: string) =>
      (await searchLogs({ store: { ...store, lines }, settings: defaultSettings }, run, { text, limit: 5 }))
        .lines;
    expect((await search('found')).map(({ number, t, text }) => [number, t, text.length])).toEqual([
      [1, 100, 2000],
      [2, 110, 5],
    ]);
    expect((await search('late')).map(({ number, t }) => [number, t])).toEqual([[3, 110]]);
    expect(await search('early')).toEqual([]);
  });

  it('are shown around what was found where they are long', async () => {
    const line = `${'a'.repeat(5000)}needle${'b'.repeat(5000)}`;
    await writeFile(join(folder, 'rank-0.log.txt'), `${line}\n`);
    const found = async (text: string): Promise<string | undefined> =>
      (await searchLogs({ store, settings: defaultSettings }, run, { text, limit: 5 })).lines[0]?.text;
    expect(await found('NEEDLE')).toMatch(/^…a{900,}needleb{900,}$/);
    expect(await found('')).toBe('a'.repeat(2000));
    expect(await found('aa')).toBe('a'.repeat(2000));
  });

  it('are searched as a terminal shows them: the last state of a progress bar, and no colours', async () => {
    const bars = Array.from({ length: 2000 }, (_, i) => `\r${i}/2000 |${'█'.repeat(20)}|`).join('');
    await writeFile(
      join(folder, 'rank-0.log.txt'),
      `${bars}\rRuntimeError: CUDA out of memory\n\x1b[31mERR\x1b[0mOR red\n`,
    );
    const search = async (text: string) => {
      const { lines, total } = await searchLogs({ store, settings: defaultSettings }, run, {
        text,
        limit: 5,
      });
      expect(total).toBe(lines.length);
      return lines.map(({ number, text: shown }) => [number, shown]);
    };
    expect(await search('out of memory')).toEqual([[1, 'RuntimeError: CUDA out of memory']]);
    expect(await search('error red')).toEqual([[2, 'ERROR red']]);
    expect(await search('1500/2000')).toEqual([]);
  });

  it('say which ranks’ logs go on beyond their copies', async () => {
    await writeFile(join(folder, 'rank-0.log.txt'), 'x'.repeat(100));
    await writeFile(join(folder, 'rank-1.log.txt'), 'x'.repeat(99));
    const search = (logMirrorBytes: number) =>
      searchLogs({ store, settings: { logMirrorBytes } }, run, { text: '', limit: 5 });
    expect((await search(100)).beyond).toEqual({ ranks: [0], bytes: 100 });
    expect((await search(200)).beyond).toBeUndefined();
  });
});
