import { describe, expect, it } from 'vitest';
import { RinglabError, toWireError } from '../../../shared/base/errors.ts';
import { defaultPlacement, emptyLab, type LabDocument, type LabNode } from '../../../shared/lab/lab.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import { systemClock } from '../../base/clock.ts';
import { createEventLog } from '../../base/events.ts';
import type { PrepareOptions, Provisioner } from '../../provision/index.ts';
import { defaultSettings } from '../record/settings.ts';
import { isRejoinDue, prepareRejoin, rejoinByItself } from './rejoin.ts';
import { createHandClock } from '../../base/testing/hand-clock.ts';

const lab: LabDocument = {
  ...emptyLab('lab', 'Lab'),
  nodes: ['a', 'b', 'c'].map((id) => ({
    ...{ id, name: id.toUpperCase(), kind: 'cpu' as const, position: { x: 0, y: 0 } },
    ...{ placement: defaultPlacement('cpu'), access: { type: 'local' as const } },
  })),
};
const cutOff = toWireError(new RinglabError('peer_lost', { rank: 2, node: 'C', said: '' }));
const killed = toWireError(new RinglabError('rank_killed', { rank: 2, node: 'C', signal: 'SIGKILL' }));
const rank = (number: number, change: Partial<RankRecord> = {}): RankRecord => ({
  ...{ rank: number, nodeId: 'abc'[number] ?? '', nodeName: 'ABC'[number] ?? '', localRank: 0 },
  ...{ state: 'running', argv: [], env: {}, directory: '/' },
  ...change,
});
const ended = { state: 'failed', error: cutOff } as const;
const without = (lost: number, change: Partial<RunRecord> = {}): RunRecord =>
  runRecord('r', {
    lab,
    ranks: [0, 1, 2].map((one) => rank(one, one === lost ? ended : {})),
    memberships: [
      { generation: 1, t: 100, step: 7, ranks: [0, 1, 2].filter((one) => one !== lost), lost: [lost] },
    ],
    ...change,
  });

describe('lost ranks', () => {
  it('rejoin by themselves once their node, which was away, is back', () => {
    expect(isRejoinDue(without(2), 1000)).toBe(true);
    expect(isRejoinDue(without(2, { unreachable: { c: 900 } }), 1000)).toBe(false);
    expect(isRejoinDue(without(2, { memberships: undefined }), 1000)).toBe(false);
    expect(isRejoinDue(without(2, { state: 'stopping' }), 1000)).toBe(false);
    expect(isRejoinDue(without(2, { recovery: { restarts: [], rejoins: true } }), 1000)).toBe(false);
    // It hangs, and has not noticed that the others went on.
    expect(isRejoinDue(without(2, { ranks: [0, 1, 2].map((one) => rank(one)) }), 1000)).toBe(false);
  });

  it('wait for the user where they failed by themselves, or were killed or taken out', () => {
    for (const end of [{ state: 'failed', error: killed }, { state: 'stopped' }] as const) {
      const ranks = [rank(0), rank(1), rank(2, end)];
      expect(isRejoinDue(without(2, { ranks }), 1000)).toBe(false);
    }
  });

  it('do so as often in an hour as a run may restart', () => {
    const recovery = { restarts: [], rejoined: [100, 5000, 6000] };
    const limited = { ...lab, experiment: { ...lab.experiment, restartsPerHour: 2 } };
    expect(isRejoinDue(without(2, { recovery, lab: limited }), 7000)).toBe(false);
    expect(isRejoinDue(without(2, { recovery, lab: limited }), 8700)).toBe(true);
  });
});

describe('preparing lost ranks', () => {
  const asked = async (
    run: RunRecord,
    {
      fails,
      links = [],
      by,
      processes = 1,
      writes = 0,
      meanwhile = (same) => same,
    }: {
      fails?: RinglabError;
      links?: string[];
      by?: LabNode;
      processes?: number;
      writes?: number;
      meanwhile?: (run: RunRecord) => RunRecord;
    } = {},
  ): Promise<{ nodeIds: PrepareOptions['nodeIds'][]; record: () => RunRecord; done: Promise<void> }> => {
    let current = run;
    const nodeIds: PrepareOptions['nodeIds'][] = [];
    const prepare: Provisioner['prepare'] = (_lab, options) => {
      nodeIds.push(options?.nodeIds);
      current = meanwhile(current);
      return fails === undefined
        ? // Of the rest of what is ready nothing is used.
          Promise.resolve({ nodes: [{ node: by, processes }] } as never)
        : Promise.reject(fails);
    };
    const keeper = {
      get current() {
        return current;
      },
      change: (apply: (before: RunRecord) => RunRecord) => Promise.resolve((current = apply(current))),
    };
    const session = {
      exec: () =>
        Promise.resolve({ code: writes, signal: null, stdout: '', stderr: 'Read-only file system' }),
    };
    const services = {
      // The rest of these is not used.
      provisioner: { prepare } as Provisioner,
      reach: { session: () => Promise.resolve(session) } as never,
      ...{ clock: systemClock, settings: defaultSettings, events: createEventLog(), linksDown: () => links },
    };
    const replaces = by === undefined ? [] : [{ nodeId: 'c', node: by, links: [] }];
    const done = prepareRejoin({ services, keeper }, new AbortController().signal, replaces);
    await done.catch(() => undefined);
    return { nodeIds, record: () => current, done };
  };

  it('prepares their nodes alone, and all where the first node is among them', async () => {
    const one = await asked(without(2));
    expect(one.nodeIds).toEqual([['c']]);
    expect(one.record().recovery).toMatchObject({ rejoins: true, rejoined: [expect.any(Number)] });
    expect((await asked(without(0))).nodeIds).toEqual([['a', 'b', 'c']]);
  });

  it('prepares the new node where one takes the place of a lost one, which must start as many processes', async () => {
    const by = { ...without(2).lab.nodes[2], id: 'd' } as LabNode;
    const one = await asked(without(2), { by });
    await one.done;
    expect(one.nodeIds).toEqual([['d']]);
    // The others still train.
    expect(one.record()).toMatchObject({
      lab,
      recovery: { rejoins: true, replaces: [{ nodeId: 'c', node: by }] },
    });
    const other = await asked(without(2), { by, processes: 2 });
    await expect(other.done).rejects.toMatchObject({ code: 'run_wrong_state' });
    expect(other.record()).toEqual(without(2));
  });

  it('changes nothing where the lost ranks have rejoined meanwhile, or others were lost since', async () => {
    const by = { ...without(2).lab.nodes[2], id: 'd' } as LabNode;
    // By themselves: all run again as the next attempt, in which another rank may be lost.
    const again = without(2, { attempt: 2, memberships: undefined });
    const others = without(1, { attempt: 2 });
    const about = without(2, { recovery: { restarts: [], rejoins: true } });
    for (const [now, given] of [
      [again, {}],
      [again, { by }],
      [others, { by }],
      [about, { by }],
    ] as const) {
      const late = await asked(without(2), { ...given, meanwhile: () => now });
      await expect(late.done).rejects.toMatchObject({ code: 'run_wrong_state' });
      expect(late.record()).toEqual(now);
    }
    // What was asked for has begun.
    const begun = await asked(without(2), { meanwhile: () => about });
    await begun.done;
    expect(begun.record()).toEqual(about);
  });

  it('changes nothing where a node cannot be prepared or written to, a drawn link is down, or no rank was lost', async () => {
    const failing = await asked(without(2), { fails: new RinglabError('host_unreachable', { host: 'c' }) });
    await expect(failing.done).rejects.toMatchObject({ code: 'host_unreachable' });
    expect(failing.record()).toEqual(without(2));
    const readOnly = await asked(without(2), { writes: 2 });
    await expect(readOnly.done).rejects.toMatchObject({
      ...{ code: 'command_failed', where: 'C', detail: 'Read-only file system' },
    });
    expect(readOnly.record()).toEqual(without(2));
    const cut = await asked(without(2), { links: ['A – C'] });
    await expect(cut.done).rejects.toMatchObject({ code: 'link_down' });
    expect(cut.nodeIds).toEqual([]);
    const whole = await asked(without(2, { memberships: undefined }));
    await expect(whole.done).rejects.toMatchObject({ code: 'run_wrong_state' });
    const again = await asked(without(2, { recovery: { restarts: [], rejoins: true } }));
    await again.done;
    expect(again.nodeIds).toEqual([]);
  });
});

describe('rejoining by itself', () => {
  const watched = (current: RunRecord, linksDown: () => string[] = () => []) => {
    const clock = createHandClock();
    const events = createEventLog();
    const tried: number[] = [];
    const services = {
      // These are not used.
      ...{ provisioner: {} as Provisioner, reach: {} as never },
      ...{ clock, settings: defaultSettings, events, linksDown },
    };
    const keeper = { current, change: () => Promise.reject(new Error('not asked for')) };
    const begin = (): (() => void) =>
      rejoinByItself({ services, keeper }, () => {
        tried.push(clock.ticks());
        return Promise.resolve();
      });
    const settle = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        clock.pass(1000);
        for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
      }
    };
    return { clock, events, tried, keeper, begin, settle };
  };

  it('waits for links without trying, and begins as soon as they are up', async () => {
    let links = ['B–C'];
    const current = without(2);
    const { clock, events, tried, begin, settle } = watched(current, () => links);
    const end = begin();
    const changed = (): void => {
      events.emit('net.changed', {
        state: { labId: current.labId, emulated: true, links: [], paths: [] },
      });
    };
    events.emit('run.changed', { run: current });
    await settle(300);
    changed();
    await settle(300);
    expect(tried).toEqual([]);
    links = [];
    const up = clock.ticks();
    changed();
    await settle(5);
    expect(tried).toHaveLength(1);
    expect((tried[0] ?? 0) - up).toBeLessThanOrEqual(3000);
    end();
  });

  it('begins when the hour is over in which it rejoined as often as it may, though nothing changes meanwhile', async () => {
    const limited = { ...lab, experiment: { ...lab.experiment, restartsPerHour: 2 } };
    const bench = watched(without(2, { lab: limited }));
    const start = bench.clock.ticks() / 1000;
    const rejoined = [start - 3000, start - 1000, start - 10];
    bench.keeper.current = without(2, { lab: limited, recovery: { restarts: [], rejoined } });
    const end = bench.begin();
    await bench.settle(2590);
    // The newest two count.
    expect(bench.tried).toEqual([]);
    await bench.settle(20);
    expect(bench.tried).toHaveLength(1);
    end();
  });

  it('begins where the node came back when no app was open', async () => {
    const { tried, begin, settle } = watched(without(2));
    const end = begin();
    await settle(5);
    expect(tried).toHaveLength(1);
    end();
  });

  it('does not begin any more after its end', async () => {
    const { tried, begin, settle } = watched(without(2));
    begin()();
    await settle(5);
    expect(tried).toEqual([]);
  });
});
