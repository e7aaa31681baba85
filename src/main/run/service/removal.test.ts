import { expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord } from '../../../shared/run/run.ts';
import type { RunServices } from '../record/services.ts';
import { removeFromNodes } from './removal.ts';

it('what lay in pods that have ended is gone, and a node that does not answer keeps its run', async () => {
  const directory = '/work/.ringlab/runs/20261130-120000-abcdef/rank-0';
  const rank: RankRecord = {
    ...{ rank: 0, nodeId: 'a', nodeName: 'A', state: 'done', localRank: 0, argv: [], env: {} },
    directory,
  };
  const run = runRecord('20261130-120000-abcdef', { ranks: [rank] });
  const removed = (code: 'pods_ended' | 'connection_lost'): Promise<void> => {
    const reach = { session: () => Promise.reject(new RinglabError(code, {})) };
    // What is read of the services.
    return removeFromNodes({ reach, settings: {} } as unknown as RunServices, run);
  };
  await expect(removed('pods_ended')).resolves.toBeUndefined();
  await expect(removed('connection_lost')).rejects.toMatchObject({ code: 'connection_lost' });
});
