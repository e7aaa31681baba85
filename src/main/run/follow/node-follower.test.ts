import { expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { emptyLab, defaultPlacement } from '../../../shared/lab/lab.ts';
import { createSkippingClock } from '../../base/testing/skipping-clock.ts';
import { createMemoryStore } from '../testing/memory-store.ts';
import { defaultSettings } from '../record/settings.ts';
import { followNode, type FollowerListener } from './node-follower.ts';

const hour = 3_600_000;

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
  const node = {
    ...{ id: 'n', name: 'N', kind: 'cpu' as const, position: { x: 0, y: 0 } },
    ...{ placement: defaultPlacement('cpu'), access: { type: 'local' as const } },
  };
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
