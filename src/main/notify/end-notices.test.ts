import { expect, it } from 'vitest';
import type { Settings } from '../../shared/contract/api.ts';
import { runRecord } from '../../shared/run/run.fixture.ts';
import type { RunRecord, RunState } from '../../shared/run/run.ts';
import { createEventLog } from '../base/events.ts';
import { notifyEnds } from './end-notices.ts';

it('notifies once of each end and of a lost node, in the chosen language, unless it is switched off', async () => {
  const events = createEventLog();
  const said: string[] = [];
  let settings: Settings = { language: 'en', theme: 'system', notifications: true };
  notifyEnds(events, { notify: ({ title, body }) => said.push(`${title}: ${body}`) }, () =>
    Promise.resolve(settings),
  );
  const state = async (next: RunState, more: object = {}): Promise<void> => {
    // The code reads only a run's id, name, state and unreachable nodes.
    events.emit('run.changed', { run: { id: 'r', name: 'first', state: next, ...more } as RunRecord });
    await Promise.resolve();
    await Promise.resolve();
  };
  for (const next of ['preparing', 'running', 'waiting', 'waiting', 'running', 'finished'] as const)
    await state(next);
  expect(said).toEqual([
    'Ringlab: first: A node is unreachable. The run continues.',
    'Ringlab: first: The run has finished.',
  ]);
  // The notification names the lost node where it is known.
  const lost = {
    unreachable: { b: 1 },
    ranks: [
      { nodeId: 'a', nodeName: 'A' },
      { nodeId: 'b', nodeName: 'B' },
    ],
  };
  for (const next of ['running', 'waiting'] as const) await state(next, lost);
  await state('finished');
  expect(said.splice(2)).toEqual([
    'Ringlab: first: Unreachable: B. The run continues.',
    'Ringlab: first: The run has finished.',
  ]);
  // A run that is seen for the first time had already ended: no notification.
  await state('failed');
  settings = { ...settings, language: 'zh-CN' };
  await state('running');
  await state('failed');
  expect(said.at(-1)).toBe('Ringlab: first: 运行失败。打开它查看原因。');
  settings = { ...settings, notifications: false };
  await state('running');
  await state('failed');
  expect(said).toHaveLength(3);
});

it('notifies of a lost node, and when training goes on: once each', async () => {
  const events = createEventLog();
  const said: string[] = [];
  const settings: Settings = { language: 'en', theme: 'system', notifications: true };
  notifyEnds(events, { notify: ({ body }) => said.push(body) }, () => Promise.resolve(settings));
  const changed = async (state: RunState, ...restarts: object[]): Promise<void> => {
    const recovery = { restarts };
    events.emit('run.changed', { run: { id: 'r', name: 'first', state, recovery } as unknown as RunRecord });
    await Promise.resolve();
    await Promise.resolve();
  };
  const lost = { from: 40, error: { code: 'rank_killed', params: {}, where: 'N2' } };
  const resumed = { ...lost, resumed: { t: 1, step: 40, lostSteps: 3, lostSeconds: 11.6 } };
  await changed('running');
  for (const state of ['recovering', 'preparing', 'recovering', 'preparing', 'starting', 'running'] as const)
    await changed(state, lost);
  await changed('running', resumed);
  // Supervisors on the nodes restart it: it is running all the while.
  await changed('running', resumed, { ...lost, by: 'node', from: 50 });
  await changed('running', resumed, { ...resumed, by: 'node' });
  await changed('finished', resumed, { ...resumed, by: 'node' });
  expect(said).toEqual([
    'N2 was lost: training restarts from step 40.',
    'Training goes on from step 40; 12 s of work are done again.',
    'N2 was lost: training restarts from step 50.',
    'Training goes on from step 40; 12 s of work are done again.',
    'The run has finished.',
  ]);
});

it('notifies of ranks that were lost while the others go on, and with how many the run finished', async () => {
  const events = createEventLog();
  const said: string[] = [];
  let language: Settings['language'] = 'en';
  notifyEnds(events, { notify: ({ body }) => said.push(body) }, () =>
    Promise.resolve({ language, theme: 'system', notifications: true }),
  );
  const ranks = [0, 1, 2, 3].map((rank) => ({ rank, nodeName: `N${rank + 1}` }));
  const first = { generation: 1, ranks: [0, 2, 3], lost: [1] };
  const second = { generation: 2, ranks: [3], lost: [0, 2] };
  const changed = async (state: RunState, memberships?: object[]): Promise<void> => {
    const run = { id: 'r', name: 'first', state, ranks, memberships };
    events.emit('run.changed', { run: run as unknown as RunRecord });
    await Promise.resolve();
    await Promise.resolve();
  };
  await changed('running');
  await changed('running', [first]);
  await changed('running', [first]);
  await changed('running', [first, second]);
  await changed('finished', [first, second]);
  language = 'zh-CN';
  await changed('running');
  await changed('running', [first]);
  expect(said).toEqual([
    'N2 was lost: training goes on with 3 of 4 ranks.',
    'N1, N3 were lost: training goes on with 1 of 4 ranks.',
    'The run has finished, with 1 of 4 ranks.',
    'N2 已失联：训练由 4 个 rank 中的 3 个继续。',
  ]);
});

it('notifies once of a queue that is held, not of each run in it', async () => {
  const events = createEventLog();
  const said: string[] = [];
  notifyEnds(events, { notify: ({ title, body }) => said.push(`${title}: ${body}`) }, () =>
    Promise.resolve({ language: 'en', theme: 'system', notifications: true }),
  );
  const changed = async (id: string, change: Partial<RunRecord>): Promise<void> => {
    events.emit('run.changed', { run: runRecord(id, { state: 'queued', ...change }) });
    await Promise.resolve();
    await Promise.resolve();
  };
  for (const id of ['b', 'c']) await changed(id, {});
  for (const id of ['b', 'c', 'c']) await changed(id, { heldBy: 'a' });
  for (const id of ['b', 'c']) await changed(id, {});
  await changed('c', { heldBy: 'b' });
  expect(said).toEqual(
    ['b', 'c'].map(
      (id) =>
        `Ringlab: run ${id}: The run before it was stopped or failed: the queue is held until you start a run of it.`,
    ),
  );
});

it('notifies of the first change of a run that an earlier process started, and of none that had ended', async () => {
  const events = createEventLog();
  const said: string[] = [];
  const noticeEarlier = notifyEnds(events, { notify: ({ title }) => said.push(title) }, () =>
    Promise.resolve({ language: 'en', theme: 'system', notifications: true }),
  );
  const runs = ['lost', 'seen', 'ended'].map((id) => runRecord(id));
  const changed = async (at: number, state: RunState): Promise<void> => {
    events.emit('run.changed', { run: { ...(runs[at] ?? runRecord('none')), state } });
    await Promise.resolve();
    await Promise.resolve();
  };
  await changed(1, 'waiting');
  noticeEarlier(runs.map((run) => (run.id === 'ended' ? { ...run, state: 'finished' } : run)));
  await changed(0, 'waiting');
  // It had been seen to wait after it was read.
  await changed(1, 'waiting');
  await changed(2, 'interrupted');
  expect(said).toEqual(['Ringlab: run lost']);
});
