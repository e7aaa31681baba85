import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Source } from '../../../shared/metrics/metrics.ts';
import { Restart } from '../../../shared/run/recovery.ts';
import { createMemoryStore, type MemoryStore } from '../testing/memory-store.ts';
import { reached, resumption } from './work-lost.ts';

let folder: string;
let store: MemoryStore;
let seq: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-lost-'));
  store = createMemoryStore(folder);
  seq = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const writeTo = async (source: Source, t: number, kind: string, fields: object): Promise<void> => {
  const line = JSON.stringify({ v: 1, seq, t, kind, ...fields });
  seq += 1;
  const offset = await store.offset('r', source);
  await store.append({ runId: 'r', source, offset, bytes: Buffer.from(`${line}\n`) });
};
const write = (t: number, kind: string, fields: object): Promise<void> => writeTo('rank-0', t, kind, fields);
const steps = async (from: number, to: number, t: number): Promise<void> => {
  for (let step = from; step < to; step += 1) await write(t + (step - from), 'step', { step });
};
const checkpoint = (t: number, step: number, seconds: number): Promise<void> =>
  write(t, 'checkpoint', { step, seconds, file: 'checkpoint' });

it('counts the work since the newest whole checkpoint, from the moment in which it was copied', async () => {
  await write(100, 'start', { start_step: 0 });
  await steps(0, 11, 101);
  await checkpoint(112, 10, 1.5);
  await write(112, 'checkpoint', { step: 10, seconds: 1, file: 'rank-state' });
  await steps(11, 15, 112);
  const before = await reached(store, 'r', 2);
  expect(before).toEqual({ from: 10, seq: 17, trained: { from: 100, to: 115 } });
  const failed = { ...before, step: 15 };
  expect(await resumption(store, 'r', failed)).toBeUndefined();
  await write(130, 'start', { start_step: 10 });
  expect(await resumption(store, 'r', failed)).toEqual({ t: 130, step: 10, lostSteps: 5, lostSeconds: 4.5 });
});

it('counts an attempt without a checkpoint from its own beginning, not what an earlier one lost', async () => {
  await write(100, 'start', { start_step: 0 });
  await steps(0, 11, 101);
  await checkpoint(112, 10, 1);
  await steps(11, 15, 112);
  await write(200, 'start', { start_step: 10 });
  await steps(10, 13, 201);
  const failed = { ...(await reached(store, 'r', 2)), step: 13 };
  expect(failed).toMatchObject({ from: 10, trained: { from: 200, to: 203 } });
  await write(210, 'start', { start_step: 10 });
  expect(await resumption(store, 'r', failed)).toEqual({ t: 210, step: 10, lostSteps: 3, lostSeconds: 3 });
});

it('what another rank saved when rank 0 was lost is not lost', async () => {
  await write(100, 'start', { start_step: 0 });
  await steps(0, 15, 101);
  await writeTo('rank-1', 118, 'checkpoint', { step: 15, seconds: 1, file: 'checkpoint' });
  const failed = { ...(await reached(store, 'r', 2)), step: 15 };
  expect(failed).toMatchObject({ from: 15, trained: { from: 100, to: 115 } });
  await write(130, 'start', { start_step: 15 });
  expect(await resumption(store, 'r', failed)).toEqual({ t: 130, step: 15, lostSteps: 0, lostSeconds: 0 });
});

it('a crash within a save of many ranks does not hide the save before it', async () => {
  await write(100, 'start', { start_step: 0 });
  await steps(0, 15, 101);
  await checkpoint(116, 15, 1);
  for (let rank = 1; rank < 300; rank += 1)
    await writeTo(`rank-${rank}`, 130, 'checkpoint', { step: 25, seconds: 1, file: 'rank-state' });
  expect(await reached(store, 'r', 300)).toMatchObject({ from: 15 });
});

it('an attempt that took no step lost none', async () => {
  expect(await reached(store, 'r', 2)).toEqual({ from: 0, seq: -1 });
  await write(100, 'start', { start_step: 0 });
  const failed = { ...(await reached(store, 'r', 2)), step: 0 };
  expect(failed).toEqual({ from: 0, seq: 0, step: 0 });
  await write(110, 'start', { start_step: 0 });
  expect(await resumption(store, 'r', failed)).toEqual({ t: 110, step: 0, lostSteps: 0, lostSeconds: 0 });
});

it('distinguishes the failures of a time in which nobody looked', async () => {
  await write(100, 'start', { start_step: 0 });
  await steps(0, 5, 101);
  await write(106, 'restart', { goes_on: true });
  await write(110, 'start', { start_step: 0 });
  await steps(0, 8, 111);
  await write(119, 'restart', { goes_on: true });
  await write(120, 'restart', { goes_on: true });
  await write(130, 'start', { start_step: 0 });
  const failed = (seq: number, step: number) => ({ seq, step, trained: { from: 100, to: 105 } });
  expect(await resumption(store, 'r', failed(6, 5), 16)).toMatchObject({ t: 110, lostSteps: 5 });
  expect(await resumption(store, 'r', failed(16, 8), 17)).toBeUndefined();
  expect(await resumption(store, 'r', failed(17, 8))).toMatchObject({ t: 130, lostSteps: 8 });
});

it.each(['NaN', 'Infinity', 1e300])(
  'a node that says step %s leaves a record that can be read',
  async (step) => {
    await write(100, 'start', { start_step: 0 });
    await steps(0, 11, 101);
    await write(112, 'checkpoint', { step, seconds: 'NaN', file: 'checkpoint' });
    const before = await reached(store, 'r', 2);
    expect(Restart.shape.from.safeParse(before.from).success).toBe(true);
    await write(130, 'start', { start_step: step });
    const resumed = await resumption(store, 'r', { ...before, step: 1e12 + 1 });
    expect(resumed).toBeDefined();
    expect(Restart.shape.resumed.safeParse(resumed).success).toBe(true);
  },
);
