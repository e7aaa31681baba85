import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunFilter } from './contract.ts';
import { Engine } from './engine.ts';
import { runRecord, temporaryFolder } from './testing/fixtures.ts';

let folder: ReturnType<typeof temporaryFolder>;
let engine: Engine;
const open = (): Engine => new Engine({ dataFolder: folder.path });

beforeEach(async () => {
  folder = temporaryFolder();
  engine = open();
  await engine.saveRun(runRecord('early', { labId: 'a', createdAt: 1, state: 'finished', endedAt: 100 }));
  await engine.saveRun(runRecord('late', { labId: 'a', createdAt: 2, state: 'failed', endedAt: 200 }));
  await engine.saveRun(runRecord('live', { labId: 'a', createdAt: 3, state: 'running' }));
  await engine.saveRun(runRecord('other', { labId: 'b', createdAt: 4, state: 'queued' }));
});
afterEach(async () => {
  await engine.close();
  folder[Symbol.dispose]();
});

const listed = async (which?: RunFilter): Promise<string[]> =>
  (await engine.listRuns(which)).map(({ id }) => id);

it('lists the runs of a lab, those that have not ended, and those that ended lately, the newest first', async () => {
  expect(await listed({ labId: 'a' })).toEqual(['live', 'late', 'early']);
  expect(await listed({ endedSince: 150 })).toEqual(['other', 'live', 'late']);
  expect(await listed({ endedSince: Infinity })).toEqual(['other', 'live']);
  expect(await listed({ labId: 'b', endedSince: 0 })).toEqual(['other']);
  expect(await listed({ labId: 'c' })).toEqual([]);
  expect(await listed({})).toEqual(['other', 'live', 'late', 'early']);
});

it('knows what was saved and deleted since, by this process and by one before', async () => {
  expect(await listed({ endedSince: Infinity })).toEqual(['other', 'live']);
  await engine.saveRun(runRecord('live', { labId: 'a', createdAt: 3, state: 'finished', endedAt: 300 }));
  await engine.saveRun(runRecord('late', { labId: 'a', createdAt: 2, state: 'preparing' }));
  await engine.saveRun(runRecord('new', { labId: 'b', createdAt: 5, state: 'draft' }));
  await engine.deleteRun('other');
  for (const again of [false, true]) {
    expect(await listed({ endedSince: Infinity }), String(again)).toEqual(['new', 'late']);
    expect(await listed({ labId: 'b' }), String(again)).toEqual(['new']);
    await engine.close();
    engine = open();
  }
  expect((await engine.listRuns({ labId: 'a' })).map(({ state }) => state)).toEqual([
    'finished',
    'preparing',
    'finished',
  ]);
});
