import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { emptyLab, defaultPlacement } from '../../../shared/lab/lab.ts';
import { createSkippingClock } from '../../base/testing/skipping-clock.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { systemClock } from '../../base/clock.ts';
import type { LaunchOrder, Sight } from '../record/launcher.ts';
import { createMemoryStore } from '../testing/memory-store.ts';
import { defaultSettings } from '../record/settings.ts';
import { followNode, type FollowerListener } from './node-follower.ts';

const hour = 3_600_000;
const node = {
  ...{ id: 'n', name: 'N', kind: 'cpu' as const, position: { x: 0, y: 0 } },
  ...{ placement: defaultPlacement('cpu'), access: { type: 'local' as const } },
};

/** Follows a node that never answers. @param sleep of this computer, in milliseconds, at the sixth try */
async function triesUntilLost(sleep: number): Promise<{ tries: number; hours: number }> {
  const skipping = createSkippingClock();
  // Other sleeps are over at once; a connection that is refused is never slow.
  const clock = {
    ...skipping,
    sleep: (milliseconds: number, signal?: AbortSignal): Promise<void> =>
      milliseconds === 5000
        ? new Promise((_, reject) =>
            signal?.addEventListener('abort', () => reject(new RinglabError('cancelled'))),
          )
        : skipping.sleep(milliseconds),
  };
  let tries = 0;
  const reach = {
    session() {
      tries += 1;
      if (tries === 6) skipping.skip(sleep);
      return Promise.reject(new RinglabError('host_unreachable', { host: 'n' }));
    },
    connections: () => [],
  };
  const { promise: lost, resolve } = Promise.withResolvers<undefined>();
  const listener = { unreachable: () => undefined, trains: () => false, lost: () => resolve(undefined) };
  const follower = followNode({
    ...{ store: createMemoryStore('/nowhere'), clock, settings: defaultSettings, runId: 'r', begunAt: 0 },
    ...{ lab: { ...emptyLab('lab', 'Lab'), nodes: [node] }, node, processes: [] },
    // Of these only what a node that never answers needs.
    ...{
      reach: reach as never,
      launcher: {} as never,
      listener: listener as Partial<FollowerListener> as FollowerListener,
    },
  });
  await lost;
  await follower.stop();
  return { tries, hours: skipping.ticks() / hour };
}

it('a node that never answers is given up after a day of tries, and not since this computer slept for a weekend', async () => {
  const awake = await triesUntilLost(0);
  expect(awake.hours).toBeGreaterThanOrEqual(24);
  const slept = await triesUntilLost(64 * hour);
  expect(slept.hours).toBeGreaterThan(64 + 23);
  expect(slept.tries).toBeGreaterThan(1000);
});

it('a monitor that ended is looked at again while a rank lives: its job may be requeued, and starts it anew', async () => {
  const process = { id: 'slurm job 7' };
  const alive: Sight = { state: 'alive', process };
  const exited: Sight = {
    state: 'exited',
    process,
    exit: { code: 0, signal: null, t: 1, outOfMemory: false },
  };
  // The rank, and its monitor.
  const left: Sight[][] = [
    [alive, alive],
    [alive, exited],
    [alive, alive],
    [exited, exited],
  ];
  const looked: string[][] = [];
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const launcher = {
    look(orders: readonly LaunchOrder[]) {
      looked.push(orders.map(({ label }) => label));
      const sights = left.shift();
      if (sights === undefined) resolve(undefined);
      return Promise.resolve(sights ?? []);
    },
  };
  const folder = await mkdtemp(join(tmpdir(), 'follower-'));
  const session = createLocalShell({ home: folder });
  const order = { nodeId: 'n', directory: join(folder, 'rank-0'), argv: [], env: {}, attempt: 1 };
  const listener: Record<string, () => void> = {};
  for (const name of ['appended', 'logGrew', 'problem', 'reached', 'unreachable', 'seen'])
    listener[name] = () => undefined;
  const follower = followNode({
    ...{
      store: createMemoryStore(folder),
      clock: systemClock,
      settings: { ...defaultSettings, lookEvery: 20 },
    },
    ...{ runId: 'r', begunAt: 0, lab: { ...emptyLab('lab', 'Lab'), nodes: [node] }, node },
    processes: [
      { rank: 0, order: { ...order, label: 'rank-0' } },
      { rank: undefined, order: { ...order, label: 'monitor', directory: join(folder, 'monitor-0') } },
    ],
    // Of these only what a node without files needs.
    ...{
      reach: { session: () => Promise.resolve(session), connections: () => [] } as never,
      launcher: launcher as never,
      listener: listener as Partial<FollowerListener> as FollowerListener,
    },
  });
  await over;
  await follower.stop();
  await rm(folder, { recursive: true });
  const both = ['rank-0', 'monitor'];
  expect(looked.slice(0, 5)).toEqual([both, both, both, both, []]);
});
