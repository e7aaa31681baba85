import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { RinglabError, toWireError } from '../../../shared/base/errors.ts';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../shared/lab/lab.ts';
import { rankSource } from '../../../shared/metrics/metrics.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import { systemClock } from '../../base/clock.ts';
import { createEventLog } from '../../base/events.ts';
import { keepRecord } from '../record/record.ts';
import type { RunServices } from '../record/services.ts';
import { defaultSettings } from '../record/settings.ts';
import { createMemoryStore } from '../testing/memory-store.ts';
import { createRecovery } from './recovery.ts';

const folder = mkdtempSync(join(tmpdir(), 'ringlab-recovery-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const node = (id: string): LabDocument['nodes'][number] => ({
  ...{ id, name: id.toUpperCase(), kind: 'cpu', position: { x: 0, y: 0 } },
  ...{ placement: defaultPlacement('cpu'), access: { type: 'local' } },
});
const rank = (number: number, nodeId: string): RankRecord => ({
  ...{ rank: number, nodeId, nodeName: nodeId.toUpperCase(), localRank: 0, state: 'running' },
  ...{ argv: ['x'], env: {}, directory: `/h/r/rank-${number}` },
});

function bench(run: RunRecord) {
  const store = createMemoryStore(folder);
  const events = createEventLog();
  const keeper = keepRecord({ store, events, clock: systemClock, diskFullRetry: 100 }, run);
  // What `after` uses of the services.
  const services = { store, events, clock: systemClock, settings: defaultSettings } as unknown as RunServices;
  return { store, keeper, recovery: createRecovery({ services, keeper }) };
}

it('a node that was to replace a lost one does so, too, where the others fail while they stop for it', async () => {
  const run = runRecord('a', {
    lab: { ...emptyLab('lab', 'Lab'), nodes: [node('n1'), node('n2')] },
    onLostRank: 'continue',
    ranks: [rank(0, 'n1'), rank(1, 'n2')],
    memberships: [{ generation: 1, t: 5, step: 30, ranks: [0], lost: [1] }],
    recovery: {
      restarts: [],
      rejoins: true,
      replaces: [{ nodeId: 'n2', node: node('n3'), links: [] }],
    },
  });
  const { recovery, keeper } = bench(run);
  const killed = new RinglabError('rank_killed', { rank: 0, node: 'N1', signal: 'SIGKILL' }, { where: 'N1' });
  expect(await recovery.after('failed', { error: toWireError(killed) }, 'training')).toBe(true);
  const { current } = keeper;
  expect(current.state).toBe('recovering');
  expect(current.ranks.map(({ nodeId }) => nodeId)).toEqual(['n1', 'n3']);
  expect(current.lab.nodes.map(({ id }) => id)).toEqual(['n1', 'n3']);
  expect(current.recovery).toMatchObject({ rejoins: true, restarts: [{ error: { code: 'rank_killed' } }] });
  expect(current.recovery?.replaces).toBeUndefined();
  recovery.close();
  await keeper.close();
});

it('a run that starts again is tried again where its node or its cluster’s API is away, and ends where it is refused', async () => {
  const error = toWireError(new RinglabError('rank_killed', { rank: 0, node: 'A', signal: 'SIGKILL' }));
  const at = { cluster: 'lab', namespace: 'team', reason: 'HTTP 503' };
  for (const [failed, goesOn] of [
    [new RinglabError('host_unreachable', { host: 'a', port: 22, reason: 'ETIMEDOUT' }), true],
    [new RinglabError('cluster_unreachable', at), true],
    [new RinglabError('cluster_forbidden', at), false],
  ] as const) {
    const run = runRecord('a', {
      state: 'preparing',
      lab: { ...emptyLab('lab', 'Lab'), nodes: [node('n1')] },
      onLostRank: 'restart',
      ranks: [rank(0, 'n1')],
      recovery: { restarts: [{ t: 5, attempt: 1, seq: 1, step: 30, from: 20, error }] },
    });
    const { recovery, keeper } = bench(run);
    expect(await recovery.after('failed', { error: toWireError(failed) }, 'start')).toBe(goesOn);
    expect([keeper.current.state, keeper.current.recovery?.ended]).toEqual(
      goesOn ? ['recovering', undefined] : ['preparing', 'cause'],
    );
    // It is no further failure of the training.
    expect(keeper.current.recovery?.restarts).toHaveLength(1);
    recovery.close();
    await keeper.close();
  }
});

describe('what supervisors of many ranks did while the app was closed', () => {
  const ranks = Array.from({ length: 200 }, (_, number) => ({ ...rank(number, 'n1'), argv: ['supervise'] }));
  const run = runRecord('many', { state: 'running', onLostRank: 'restart', ranks });
  const line = (seq: number, t: number, kind: string, fields: object): string =>
    `${JSON.stringify({ v: 1, seq, t, kind, ...fields })}\n`;
  /** A start every 100 s, and what follows it. */
  const starts = (more: (seq: number, t: number) => string = () => ''): string =>
    Array.from(
      { length: 9 },
      (_, at) => line(2 * at, 100 * at, 'start', { start_step: at }) + more(2 * at + 1, 100 * at + 50),
    ).join('');
  const failed = { goes_on: true, attempt: 1, rank: 1, signal: 9, step: 50, from_step: 44, pause_seconds: 0 };
  const restarted = (seq: number, t: number): string => line(seq, t, 'restart', { ...failed, step: seq });

  async function recorded(write: (rank: number) => string) {
    const { recovery, keeper, store } = bench(run);
    for (const { rank: number } of ranks) {
      const bytes = Buffer.from(write(number));
      await store.append({ runId: run.id, source: rankSource(number), offset: 0, bytes });
    }
    await recovery.catchUp();
    recovery.close();
    await keeper.close();
    return keeper.current.recovery;
  }

  it('is recorded with every restart', async () => {
    const known = await recorded((number) => starts(number === 0 ? restarted : undefined));
    expect(known?.restarts).toHaveLength(9);
    expect(known?.waiting).toBeUndefined();
  });

  it.each([
    ['that is not over', 850, ['N1']],
    ['until its ranks have started', 50, undefined],
    ['until its ranks have started, newer than most starts', 750, undefined],
  ])('is shown with a wait of any of them %s', async (_, at, names) => {
    const waits = (seq: number, t: number): string =>
      t === at ? line(seq, t, 'restart_wait', { ranks: [7] }) : '';
    const known = await recorded((number) => starts(number === 5 ? waits : undefined));
    expect(known?.waiting?.names).toEqual(names);
  });
});
