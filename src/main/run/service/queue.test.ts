import { expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { createEventLog } from '../../base/events.ts';
import { createQueue } from './queue.ts';

function queueOf(launch: (run: RunRecord, stored: Map<string, RunRecord>) => Promise<unknown>) {
  const stored = new Map(
    ['b', 'c'].map((id, at) => [id, runRecord(id, { state: 'queued', createdAt: at })] as const),
  );
  const launched: string[] = [];
  const queue = createQueue({
    store: {
      listRuns: () => Promise.resolve([...stored.values()]),
      saveRun: (run) => Promise.resolve(void stored.set(run.id, run)),
    },
    events: createEventLog(),
    now: () => 1,
    busy: () => false,
    launch(run) {
      launched.push(run.id);
      return launch(run, stored);
    },
  });
  return { queue, launched };
}
const ended = runRecord('a', { state: 'finished' });
const refused = new RinglabError('run_wrong_state', { state: 'stopped', remedy: '' });

it('the next run starts where the first one left the queue while it was about to start', async () => {
  const { queue, launched } = queueOf(async (run) => {
    if (run.id !== 'b') return;
    await queue.leave(run);
    throw refused;
  });
  await queue.after(ended);
  expect(launched).toEqual(['b', 'c']);
});

it('no other run starts where the first one cannot', async () => {
  const { queue, launched } = queueOf(() => Promise.reject(refused));
  await expect(queue.after(ended)).rejects.toBe(refused);
  expect(launched).toEqual(['b']);
});
