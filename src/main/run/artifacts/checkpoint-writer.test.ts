import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RankRecord, RunRecord } from '../../../shared/run/run.ts';
import type { RunServices } from '../record/services.ts';
import { createMemoryStore, type MemoryStore } from '../testing/memory-store.ts';
import { fetchCheckpoints } from './artifacts.ts';
import { checkpointWriter } from './checkpoint-writer.ts';

let folder: string;
let store: MemoryStore;
let seq = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-writer-'));
  store = createMemoryStore(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const save = async (rank: number, t: number, fields: object = {}): Promise<void> => {
  const source = `rank-${rank}`;
  const line = { v: 1, seq: (seq += 1), t, kind: 'checkpoint', file: 'checkpoint', best: false, ...fields };
  const offset = await store.offset('r', source);
  await store.append({ runId: 'r', source, offset, bytes: Buffer.from(`${JSON.stringify(line)}\n`) });
};
const rank = (number: number): RankRecord => ({
  rank: number,
  nodeId: `n${number}`,
  nodeName: `N${number}`,
  localRank: 0,
  state: 'stopped',
  argv: ['x'],
  env: {},
  directory: `/node/rank-${number}`,
});
const lost = { generation: 1, t: 50, step: 30, ranks: [1], lost: [0] };
const stopped = runRecord('r', { state: 'stopped', ranks: [rank(0), rank(1)], memberships: [lost] });

/** Its next attempt failed before it had saved. */
const resumed: RunRecord = { ...stopped, state: 'failed', memberships: undefined, formerFirsts: [0, 1] };

const writer = async (run: RunRecord, file: Parameters<typeof checkpointWriter>[2]) =>
  (await checkpointWriter(store, run, file))?.rank;

it('a resumed run’s checkpoint is still where it was saved last, until rank 0 saves again', async () => {
  await save(0, 30, { best: true, kept: 'checkpoint-epoch-3.pth.tar' });
  await save(1, 100, { best: true });
  await save(0, 101, { file: 'rank-state' });
  for (const run of [stopped, resumed]) {
    expect(await writer(run, 'checkpoint.pth.tar')).toBe(1);
    expect(await writer(run, 'checkpoint.ddp.pth.tar')).toBe(1);
    expect(await writer(run, 'model_best.pth.tar')).toBe(1);
    expect(await writer(run, 'checkpoint-epoch-3.pth.tar')).toBe(0);
  }
  await save(0, 110);
  expect(await writer(resumed, 'checkpoint.pth.tar')).toBe(0);
  expect(await writer(resumed, 'model_best.pth.tar')).toBe(1);
});

it('is rank 0’s, or its successor’s, where no line says who saved it', async () => {
  expect(await writer(runRecord('r', { ranks: [rank(0), rank(1)] }), 'checkpoint.pth.tar')).toBe(0);
  expect(await writer(stopped, 'checkpoint.pth.tar')).toBe(1);
  expect(await writer(runRecord('r'), 'checkpoint.pth.tar')).toBeUndefined();
});

/** What is asked of nodes, of which those in `away` do not answer. */
function fetching(away: readonly string[] = []) {
  const asked: string[] = [];
  const session = (_lab: unknown, nodeId: string) => {
    if (away.includes(nodeId)) return Promise.reject(new RinglabError('connection_lost', { host: nodeId }));
    const exec = (command: string) => {
      asked.push(/\/node\/rank-\d\/[a-z_.]+/.exec(command)?.[0] ?? command);
      return Promise.resolve({ code: 1, stdout: '', stderr: '' });
    };
    return Promise.resolve({ exec });
  };
  // A fake with the services that fetching uses.
  const settings = { fetchBytes: 1e9 };
  const services = { store, settings, reach: { session } } as unknown as RunServices;
  return { asked, fetched: fetchCheckpoints(services, resumed, new AbortController().signal) };
}

it('a resume that failed fetches nothing older over the copy on this computer', async () => {
  await save(0, 30, { best: true });
  await save(1, 100);
  const { asked, fetched } = fetching();
  await fetched;
  expect(asked).toEqual(['/node/rank-0/model_best.pth.tar', '/node/rank-1/checkpoint.pth.tar']);
});

it('the newest checkpoint comes home where the best model’s node is gone', async () => {
  await save(0, 30, { best: true });
  await save(1, 100);
  const { asked, fetched } = fetching(['n0']);
  await expect(fetched).rejects.toMatchObject({ code: 'connection_lost' });
  expect(asked).toEqual(['/node/rank-1/checkpoint.pth.tar']);
});
