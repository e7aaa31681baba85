import { expect, it } from 'vitest';
import type { OnLostRank } from '../../../shared/lab/lab.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { createMemoryStore } from '../testing/memory-store.ts';
import { defaultSettings } from '../record/settings.ts';
import { createAskedToEnd } from './asked-to-end.ts';
import type { RankEnd } from './verdict.ts';

const ended = (how: RankEnd['how']): RankEnd => ({
  ...{ rank: 1, nodeName: 'B', how, asked: false, lastWords: [] },
});
/** The grace periods in milliseconds, in their order. */
async function graces(run: Partial<RunRecord>, how: RankEnd['how']): Promise<number[]> {
  const asked: number[] = [];
  const services = { store: createMemoryStore('/nowhere'), settings: defaultSettings };
  const keeper = { current: runRecord('r', run) };
  createAskedToEnd(services, keeper, { stop: (_, grace) => void asked.push(grace) }).afterFailure([
    ended(how),
  ]);
  await new Promise(setImmediate);
  return asked;
}
const policy = (onLostRank: OnLostRank): Partial<RunRecord> => ({ onLostRank });
const soon = [defaultSettings.failGrace];
const toSave = [Infinity, defaultSettings.stopGrace];

it('ranks that are left with `restart` have the time to save what the next attempt continues from', async () => {
  expect(await graces(policy('restart'), 'exited')).toEqual(toSave);
  expect(await graces(policy('stop'), 'exited')).toEqual(soon);
});

it.each(['lost', 'nonsense'] as const)(
  'ranks save where a node was given up that may be healthy (%s), as they are',
  async (how) => {
    expect(await graces(policy('stop'), how)).toEqual(toSave);
  },
);

it('an own script’s ranks end soon', async () => {
  const { lab } = runRecord('r');
  const script = {
    source: { type: 'folder' as const, path: '/s' },
    ...{ file: 'train.py', arguments: '' },
  };
  const ofScript = { ...lab, experiment: { ...lab.experiment, script } };
  expect(await graces({ ...policy('restart'), lab: ofScript }, 'lost')).toEqual(soon);
});
