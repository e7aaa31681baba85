import { describe, expect, it } from 'vitest';
import type { Point } from '../metrics/metrics.ts';
import { collectivesOf, isOfTheScript, waitOf, type RankCollectives } from './collective-wait.ts';
import { describePlace, describeWait } from './collective-words.ts';

const reduce = { name: 'all_reduce', shape: [64], dtype: 'float32' };
const asleep = { file: 'train.py', line: 57, function: 'main', text: 'time.sleep(3600)' };
const rests = (rank: number, count: number, more: Partial<RankCollectives> = {}): RankCollectives => ({
  rank,
  t: 1000,
  state: 'resting',
  quiet: 10,
  groups: [{ name: '0', count, ranks: [0, 1, 2] }],
  ...more,
});
const waits = (rank: number, count: number, operation = reduce): RankCollectives =>
  rests(rank, count, { operation });
const point = (seq: number, rank: number, collectives: unknown, kind = 'collectives'): Point => ({
  source: `rank-${rank}`,
  line: { v: 1, seq, t: seq, kind, ...(kind === 'collectives' ? { collectives } : { attempt: 1 }) },
});

describe('waitOf', () => {
  it('names the rank that has not entered a collective, and the line it is in', () => {
    const records = [waits(0, 118), waits(1, 118), rests(2, 117, { place: asleep })];
    const wait = waitOf(records, [0, 1, 2], 1030);
    expect(wait).toMatchObject({ kind: 'missing', number: 118, since: 990 });
    expect(wait?.missing.map(({ rank }) => rank)).toEqual([2]);
    expect(wait?.waiting.map(({ rank }) => rank)).toEqual([0, 1]);
    expect(describeWait(wait!, 1030, 'en')).toBe(
      'Not entered by rank 2: all_reduce (64 float32), collective 118 of its group. Waiting in it for 40 s: rank 0, rank 1.',
    );
    expect(describeWait(wait!, 1030, 'zh-CN')).toContain('rank 2 尚未进入 all_reduce (64 float32)');
    expect(describePlace(wait!.missing[0]!, 'en')).toBe('train.py:57 main: time.sleep(3600)');
  });

  it('says that a script makes groups of its own, while it trains and after it has ended well', () => {
    const smaller = { given: 4, size: 2, address: 'localhost' };
    const records = [
      rests(0, 50, { state: 'moving', apart: smaller }),
      rests(1, 50, { state: 'left', apart: smaller }),
    ];
    const wait = waitOf(records, [0, 1, 2, 3], 1001);
    expect(wait).toMatchObject({ kind: 'apart', apart: smaller, missing: [], waiting: [] });
    expect(isOfTheScript(wait!)).toBe(true);
    expect(describeWait(wait!, 1001, 'en')).toMatch(
      /^The script makes process groups of its own, of 2 instead of all 4 ranks/,
    );
    expect(describeWait(wait!, 1001, 'zh-CN')).toContain('其中只有 2 个 rank，而非全部 4 个');
    // As many ranks as there are, on each node: and already while they look for each other.
    for (const size of [2, undefined]) {
      const apart = { given: 2, address: '127.0.0.1', ...(size === undefined ? {} : { size }) };
      const joins = waitOf([rests(0, 0, { state: 'joining', groups: [], apart })], [0, 1], 1000);
      expect(describeWait(joins!, 1000, 'en')).toMatch(
        /^The script’s ranks meet at 127\.0\.0\.1, which is another place on each node/,
      );
    }
    const read = collectivesOf([point(1, 0, { ...rests(0, 50), apart: smaller })]);
    expect(read[0]?.apart).toEqual(smaller);
  });

  it('names the rank whose Python stands still after the others have ended', () => {
    const records = [
      rests(0, 50, { state: 'moving', quiet: 0 }),
      rests(1, 50, { state: 'moving', quiet: 0 }),
    ];
    const done = [{ rank: 1, t: 1010 }];
    expect(waitOf(records, [0, 1], 1060, done)).toBeUndefined();
    expect(waitOf(records, [0, 1], 1400, [])).toBeUndefined();
    const wait = waitOf(records, [0, 1], 1070, done);
    expect(wait).toMatchObject({
      kind: 'ending',
      since: 1010,
      missing: [{ rank: 0 }],
      waiting: [{ rank: 1 }],
    });
    expect(describeWait(wait!, 1070, 'en')).toMatch(
      /^Ended 1 min 00 s ago: rank 1\. Not ended, and without a sign of life from Python: rank 0\./,
    );
    expect(describeWait(wait!, 1070, 'zh-CN')).toContain('rank 0 尚未结束');
    // It evaluates alone, and says so; it has left its group, or is a process that says nothing at all.
    for (const record of [rests(0, 50), rests(0, 50, { state: 'left' })])
      expect(waitOf([record], [0, 1], 1400, done)).toBeUndefined();
    expect(waitOf([], [0, 1], 1400, done)).toBeUndefined();
    expect(waitOf(records, [0, 1], 1400, [...done, { rank: 0, t: 1020 }])).toBeUndefined();
  });

  it('tells ranks in different calls from ranks in the same one', () => {
    const other = { name: 'broadcast', shape: [64], dtype: 'float32' };
    const three = (operation: typeof reduce) => [waits(0, 5), waits(1, 5), waits(2, 5, operation)];
    expect(waitOf(three(other), [0, 1, 2], 1030)?.kind).toBe('different');
    expect(waitOf(three({ ...reduce, shape: [65] }), [0, 1, 2], 1030)?.kind).toBe('different');
    expect(waitOf(three(reduce), [0, 1, 2], 1030)?.kind).toBe('all');
  });

  it('is silent where no rank waits', () => {
    const computing = [rests(0, 7), rests(1, 7), rests(2, 7)];
    expect(waitOf(computing, [0, 1, 2], 1030)).toBeUndefined();
    const moving = [0, 1, 2].map((rank) => rests(rank, 7, { state: 'moving', quiet: 0 }));
    expect(waitOf(moving, [0, 1, 2], 1030)).toBeUndefined();
    expect(waitOf([], [0, 1], 1030)).toBeUndefined();
    const paired = [waits(0, 7, { ...reduce, name: 'recv' }), waits(1, 7), waits(2, 7)];
    expect(waitOf(paired, [0, 1, 2], 1030)).toBeUndefined();
  });

  it('leaves a rank that moved lately the time to say that it rests', () => {
    const records = [waits(0, 8), waits(1, 8), rests(2, 0, { state: 'moving', quiet: 0, t: 900 })];
    expect(waitOf(records, [0, 1, 2], 1005)).toBeUndefined();
    expect(waitOf(records, [0, 1, 2], 1020)?.missing.map(({ rank }) => rank)).toEqual([2]);
  });

  it('names ranks that have not called init_process_group', () => {
    const joining = rests(0, 0, { state: 'joining', groups: [] });
    expect(waitOf([joining], [0, 1, 2], 1005)).toBeUndefined();
    const wait = waitOf([joining], [0, 1, 2], 1030);
    expect(wait).toMatchObject({ kind: 'joining', missing: [{ rank: 1 }, { rank: 2 }] });
    expect(describeWait(wait!, 1030, 'en')).toBe(
      'Waiting in init_process_group for 40 s: rank 0. Not called it yet: rank 1, rank 2.',
    );
  });

  it('says that a script never joins, and then trains in each process by itself', () => {
    const started = [0, 1].map((rank) => rests(rank, 0, { state: 'started', quiet: 0, groups: [] }));
    expect(waitOf(started, [0, 1], 1030)).toBeUndefined();
    const wait = waitOf(started, [0, 1], 1120);
    expect(describeWait(wait!, 1120, 'en')).toBe(
      'No rank has called init_process_group for 2 min 00 s: each of the 2 processes trains by itself, and they do not share their work.',
    );
    expect(waitOf(started.slice(1), [0], 1120)).toBeUndefined();
    const joining = rests(0, 0, { state: 'joining', groups: [] });
    expect(waitOf([joining, started[1]!], [0, 1], 1030)).toMatchObject({ missing: [{ rank: 1 }] });
  });

  it('finds the wait of a smaller group, and a rank that has left', () => {
    const groups = (count: number) => [
      { name: '0', count: 3, ranks: [0, 1, 2] },
      { name: '1', count, ranks: [0, 1] },
    ];
    const operation = { ...reduce, group: '1' };
    const records = [
      rests(0, 3, { groups: groups(9), operation }),
      rests(1, 3, { groups: groups(8), place: asleep }),
      rests(2, 3),
    ];
    expect(waitOf(records, [0, 1, 2], 1030)).toMatchObject({
      kind: 'missing',
      missing: [{ rank: 1, count: 8 }],
    });
    const left = [waits(0, 9), rests(1, 0, { state: 'left', groups: [] })];
    expect(waitOf(left, [0, 1], 1030)).toMatchObject({ kind: 'missing', missing: [{ rank: 1 }] });
  });
});

describe('collectivesOf', () => {
  const state = (rank: number, count: number): unknown => {
    const { t: _, ...record } = rests(rank, count);
    return record;
  };

  it('takes the newest of each rank, of several ranks of one file, and none of an earlier attempt', () => {
    const points = [point(1, 0, state(0, 1)), point(2, 0, state(0, 2)), point(3, 0, state(1, 2))];
    expect(collectivesOf(points).map(({ rank, groups }) => [rank, groups[0]?.count])).toEqual([
      [0, 2],
      [1, 2],
    ]);
    const again = [...points, point(4, 0, undefined, 'collect_end'), point(5, 0, state(1, 1))];
    expect(collectivesOf(again).map(({ rank, groups }) => [rank, groups[0]?.count])).toEqual([[1, 1]]);
  });

  it('does not take a child that imports PyTorch for the rank', () => {
    const child = { ...(state(0, 0) as object), state: 'started', groups: [] };
    const [record] = collectivesOf([point(1, 0, state(0, 3)), point(2, 0, child)]);
    expect(record?.state).toBe('resting');
  });

  it('leaves out what a node makes up', () => {
    const bad = [
      null,
      7,
      [],
      {},
      { ...(state(0, 1) as object), rank: -1 },
      { ...(state(0, 1) as object), quiet: 'long' },
      { ...(state(0, 1) as object), groups: Array.from({ length: 17 }, () => ({ name: 'a', count: 1 })) },
    ];
    expect(collectivesOf(bad.map((one, index) => point(index, 0, one)))).toEqual([]);
    const [cleaned] = collectivesOf([
      point(1, 0, { ...(state(0, 1) as object), place: { ...asleep, text: 'a\u001b[31m\nb' } }),
    ]);
    expect(cleaned?.place?.text).not.toMatch(/[\u0000-\u001f]/u);
  });
});
