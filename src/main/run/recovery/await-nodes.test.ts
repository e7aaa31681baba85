import { expect, it } from 'vitest';
import { RinglabError, toWireError } from '../../../shared/base/errors.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { createSkippingClock } from '../../base/testing/skipping-clock.ts';
import { defaultSettings } from '../record/settings.ts';
import { awaitNodes } from './await-nodes.ts';

const hour = 3_600_000;
const down = toWireError(new RinglabError('link_down', { link: 'A–B', epoch: 3 }, { where: 'A–B' }));
const restart = { attempt: 1, t: 1, step: 9, from: 5, seq: 20, error: down };

it('a link that stays down is waited for as long as a node: a day', async () => {
  const clock = createSkippingClock();
  let current: RunRecord = runRecord('r', { state: 'recovering', recovery: { restarts: [restart] } });
  const keeper = {
    get current() {
      return current;
    },
    change: (apply: (run: RunRecord) => RunRecord) => Promise.resolve((current = apply(current))),
  };
  let asked = 0;
  const services = {
    ...{ clock, settings: { ...defaultSettings, lookEvery: 60_000 } },
    linksDown: () => {
      asked += 1;
      // Otherwise the test would not end either.
      if (asked > 100_000) throw new Error('it waits for ever');
      return ['A–B'];
    },
    // Without nodes none is asked.
    reach: {} as never,
  };
  const { signal } = new AbortController();
  await expect(awaitNodes({ services, keeper, signal })).rejects.toMatchObject({
    ...{ code: 'link_down', where: 'A–B' },
    params: { link: 'A–B' },
  });
  expect(clock.ticks() / hour).toBeGreaterThanOrEqual(24);
  expect(current.recovery?.waiting).toMatchObject({ for: 'link', names: ['A–B'] });
});
