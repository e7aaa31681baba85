import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { defaultPlacement, emptyLab, type LabDocument, type LabNode } from '../../shared/lab/lab.ts';
import type { RunRecord } from '../../shared/run/run.ts';
import { createRunActions, type RunActionParts } from './run-actions.ts';

const node = (id: string, access: LabNode['access'] = { type: 'local' }): LabNode => ({
  id,
  name: id,
  kind: 'cpu',
  position: { x: 0, y: 0 },
  access,
  placement: defaultPlacement('cpu'),
});
const lab: LabDocument = { ...emptyLab('lab-1', 'Drawn'), nodes: [node('a')] };
const keyless: LabDocument = {
  ...lab,
  nodes: [
    node('a', {
      type: 'ssh',
      host: 'a.example.org',
      port: 22,
      user: 'me',
      authentication: { method: 'key', keyFile: '/nowhere/key' },
    }),
  ],
};
// Only these fields are used.
const record = (more: Partial<RunRecord>): RunRecord =>
  ({ id: 'run-1', name: 'Small/er', labId: lab.id, lab, ranks: [], ...more }) as RunRecord;

/** Actions on services that write down how they are called. */
function actions(drawn = lab, run = record({})) {
  const calls: unknown[][] = [];
  const note =
    <T>(name: string, result: T) =>
    (...args: unknown[]): Promise<T> => {
      calls.push([name, ...args]);
      return Promise.resolve(result);
    };
  const parts: RunActionParts = {
    runs: {
      start: note('start', { runId: 'run-2' }),
      queue: note('queue', { runIds: ['run-2'] }),
      rejoin: note('rejoin', undefined),
      list: note('list', []),
      sighted: note('sighted', undefined),
      get: () => Promise.resolve(run),
      artifact: (_runId, artifact) => Promise.resolve({ path: '/kept', name: artifact, bytes: 1 }),
    },
    labs: { asked: (asked) => Promise.resolve('lab' in asked ? asked.lab : drawn) },
    platform: { deliver: note('deliver', { name: 'any', bytes: 1 }) },
    computer: () => Promise.resolve({ home: homedir(), agent: undefined, platform: 'linux' }),
  };
  return { calls, ...createRunActions(parts) };
}
const { signal } = new AbortController();

describe('a run', () => {
  it('starts on a lab that is stored or sent', async () => {
    const { start, calls } = actions();
    await start({ labId: lab.id });
    await start({ lab: { ...lab, name: 'Sent' } });
    expect(calls).toEqual([
      ['start', lab],
      ['start', { ...lab, name: 'Sent' }],
    ]);
  });

  it('does not start where the lab has an error, or this computer lacks what it names', async () => {
    const empty = actions({ ...lab, nodes: [] });
    await expect(empty.start({ labId: lab.id })).rejects.toMatchObject({ code: 'lab_has_errors' });
    const other = actions(keyless);
    await expect(other.start({ labId: lab.id })).rejects.toMatchObject({ code: 'lab_has_errors' });
    await expect(other.queue({ from: { labId: lab.id }, changes: [{}] })).rejects.toMatchObject({
      code: 'lab_has_errors',
    });
    const before = actions(lab, record({ lab: keyless }));
    await expect(before.queue({ from: { runId: 'run-1' }, changes: [{}] })).rejects.toMatchObject({
      code: 'lab_has_errors',
    });
    expect([...empty.calls, ...other.calls, ...before.calls]).toEqual([]);
  });

  it('is queued for the drawn lab, or for the lab of an earlier run, from its checkpoint', async () => {
    const run = record({ lab: { ...lab, name: 'Of the run' } });
    const { queue, calls } = actions(lab, run);
    const changes = [{ learningRate: 0.1 }];
    const checkpoint = { file: 'checkpoint.pth.tar', epoch: 3 } as const;
    await queue({ from: { labId: lab.id }, changes });
    await queue({ from: { runId: run.id }, changes, checkpoint });
    expect(calls).toEqual([
      ['queue', lab, changes],
      ['queue', run.lab, changes, run, checkpoint],
    ]);
  });

  it('is rejoined by nodes of the lab as it is drawn now, where others take places', async () => {
    const { rejoin, calls } = actions();
    const replace = [{ nodeId: 'b', by: 'a' }];
    await rejoin({ runId: 'run-1', replace: undefined });
    await rejoin({ runId: 'run-1', replace });
    await rejoin({ runId: 'run-1', replace, lab: { ...lab, name: 'Sent' } });
    expect(calls).toEqual([
      ['rejoin', 'run-1', undefined, undefined],
      ['rejoin', 'run-1', replace, lab],
      ['rejoin', 'run-1', replace, { ...lab, name: 'Sent' }],
    ]);
  });

  it('is listed after its nodes were asked, where the caller wants that', async () => {
    const { list, calls } = actions();
    await list({ labId: lab.id });
    await list({ asked: true, bin: true });
    expect(calls).toEqual([['list', lab.id, undefined], ['sighted'], ['list', undefined, true]]);
  });

  it('has its report delivered under its own name, and other files under theirs', async () => {
    const { calls, ...run } = actions();
    await run.export({ runId: 'run-1', artifact: 'report.html' }, signal);
    await run.export({ runId: 'run-1', artifact: 'metrics.csv' }, signal);
    expect(calls.map(([, file]) => file)).toMatchObject([
      { name: 'Small-er-report.html' },
      { name: 'metrics.csv' },
    ]);
  });
});
