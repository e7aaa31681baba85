import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { RinglabError, toWireError } from '../../../shared/base/errors.ts';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../shared/lab/lab.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
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
  const store = createMemoryStore(folder);
  const events = createEventLog();
  const keeper = keepRecord({ store, events, clock: systemClock, diskFullRetry: 100 }, run);
  // What `after` uses of the services.
  const services = { store, events, clock: systemClock, settings: defaultSettings } as unknown as RunServices;
  const recovery = createRecovery({ services, keeper });
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
