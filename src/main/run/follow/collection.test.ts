import { expect, it } from 'vitest';
import type { Point } from '../../../shared/metrics/metrics.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
import { systemClock } from '../../base/clock.ts';
import { defaultSettings } from '../record/settings.ts';
import { createCollection } from './collection.ts';

const rank: RankRecord = {
  ...{ rank: 0, nodeId: 'a', nodeName: 'A', localRank: 0, state: 'done' },
  ...{ argv: ['x'], env: {}, directory: '/h/.ringlab/runs/a/rank-0' },
};
const point = (seq: number, kind: string, fields: object): Point => ({
  source: 'rank-0',
  line: { v: 1, seq, t: seq, kind, ...fields },
});

it('a run whose job was requeued waits for its last start’s end, not for that of the start before', async () => {
  const given = { clock: systemClock, settings: defaultSettings };
  const collection = createCollection(given, new AbortController().signal);
  const run = runRecord('a', { state: 'running', ranks: [rank] });
  const end = (seq: number): Point => point(seq, 'collect_end', { attempt: run.attempt });
  collection.appended('rank-0', [end(1)]);
  await collection.ended(run);

  collection.appended('rank-0', [point(2, 'scalar', { step: 1, values: { loss: 1 } })]);
  let hasEnded = false;
  const ended = collection.ended(run).then(() => (hasEnded = true));
  await new Promise(setImmediate);
  expect(hasEnded).toBe(false);
  collection.appended('rank-0', [end(3)]);
  await ended;
});
