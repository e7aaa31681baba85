import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { createSecretMemory } from '../../ssh/index.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { createFactsStep } from '../steps/facts.ts';
import { createAsker } from '../testing/asker.ts';
import { labOf } from '../testing/bench.ts';
import { runSteps, stepRun } from '../testing/step-run.ts';
import { createBucketKeys, keepsNothing } from './bucket-keys.ts';
import { createDataS3 } from './data-s3.ts';
import { createDataUpload } from './data-upload.ts';
import { createDataStep } from './data.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = (): string => join(folder, 'packed');

/** The data step with the folder `packed` of the node: its summary, or the error. */
async function look(): Promise<{ error: unknown; summary: string }> {
  const lab = labOf(['anna'], { data: { type: 'folder', path: path() } });
  const keys = createBucketKeys(createAsker(), createSecretMemory(keepsNothing));
  const steps = [createFactsStep(systemClock), createDataStep(createDataUpload(folder), createDataS3(keys))];
  const run = stepRun(lab, createLocalShell({ home: folder }), { node: lab.nodes[0]! });
  const error = await runSteps(steps, run);
  return { error, summary: run.status.step('data').snapshot().summary.en };
}

/** Pixels, index and tail of native/PROTOCOL.md, 'Packed images', with as many classes and no image. */
function pack(classes: number): Buffer {
  const head = Buffer.from('ringpack\x01\0\0\0\0\0\0\0pixels', 'latin1');
  const u32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const names = Array.from({ length: classes }, (_, i) => Buffer.concat([u32(3), Buffer.from(`c${10 + i}`)]));
  const index = Buffer.concat([u32(256), u32(classes), ...names, Buffer.alloc(8)]);
  const tail = Buffer.alloc(32);
  tail.writeBigUInt64LE(BigInt(head.length), 0);
  tail.writeBigUInt64LE(BigInt(index.length), 8);
  tail.writeUInt32LE(1, 20);
  tail.write('packring', 24);
  return Buffer.concat([head, index, tail]);
}

function write(files: Readonly<Record<string, Buffer>>): void {
  mkdirSync(path());
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(path(), name), bytes);
}

test('what `ringlab-train pack` made is accepted as data', async () => {
  write({ 'train.pack': pack(12), 'val.pack': pack(12) });
  expect(await look()).toEqual({ error: undefined, summary: `${path()} · 12 classes` });
});

test.each([
  ['one pack alone', { 'train.pack': pack(2) }, 'data_missing', { path: '/val.pack' }],
  [
    'packs of different classes',
    { 'train.pack': pack(2), 'val.pack': pack(3) },
    'data_classes_differ',
    { path: '', train: 2 },
  ],
  [
    'a pack that was cut off',
    { 'train.pack': pack(2).subarray(0, 50), 'val.pack': pack(2) },
    'data_no_classes',
    { path: '/train.pack' },
  ],
  [
    'a tail without its index',
    { 'train.pack': pack(2).subarray(-32), 'val.pack': pack(2) },
    'data_no_classes',
    { path: '/train.pack' },
  ],
])('%s: the step says so', async (_, files, code, params) => {
  write(files);
  const { error } = await look();
  expect(error).toMatchObject({ code, params: { ...params, path: `${path()}${params.path}` } });
});
