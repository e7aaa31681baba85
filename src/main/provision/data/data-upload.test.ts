import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { createSecretMemory } from '../../ssh/index.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { linesIn } from '../../../shared/base/phrase.ts';
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
  folder = mkdtempSync(join(tmpdir(), 'ringlab-upload-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = (): string => join(folder, 'pets');

function write(files: readonly string[]): void {
  for (const name of files) {
    mkdirSync(dirname(join(path(), name)), { recursive: true });
    writeFileSync(join(path(), name), name);
  }
}

/** Runs the data step with the folder `pets`; what it ended with, the node's files, and the step's log. */
async function upload(): Promise<{ error: unknown; there: string[]; log: string }> {
  const home = join(folder, 'home');
  mkdirSync(home);
  const lab = labOf(['anna'], { data: { type: 'upload', path: path() } });
  const keys = createBucketKeys(createAsker(), createSecretMemory(keepsNothing));
  const steps = [createFactsStep(systemClock), createDataStep(createDataUpload(folder), createDataS3(keys))];
  const run = stepRun(lab, createLocalShell({ home }), { node: lab.nodes[0]! });
  const error = await runSteps(steps, run);
  const there =
    run.work.data === undefined ? [] : readdirSync(run.work.data, { recursive: true, encoding: 'utf8' });
  return { error, there: there.sort(), log: linesIn(run.status.step('data').snapshot().log, 'en') };
}

test('a class whose files all have another extension is named, and nothing is sent', async () => {
  write(['train/cat/1.jpg', 'val/cat/1.jpg', 'train/dog/1.jfif', 'val/dog/1.jfif']);
  const { error, there } = await upload();
  expect(error).toMatchObject({
    code: 'data_class_empty',
    params: { path: path(), names: 'train/dog, val/dog' },
  });
  expect(there).toEqual([]);
});

test('a class folder without files is named, also behind a link', async () => {
  write(['train/cat/1.jpg', 'val/cat/1.jpg', 'train/dog/1.jpg', 'elsewhere/notes.txt']);
  symlinkSync(join(path(), 'elsewhere'), join(path(), 'val', 'dog'));
  const { error } = await upload();
  expect(error).toMatchObject({ code: 'data_class_empty', params: { names: 'val/dog' } });
});

test('files that are no images are not sent, which the log says; what systems and other programs keep is passed over', async () => {
  write([
    ...['train/cat/1.jpg', 'val/cat/1.JPEG', 'train/cat/2.gif', 'train/cat/deep/3.heic', 'val/notes.txt'],
    ...['train/.DS_Store', 'train/cat/Thumbs.db', 'train/.ipynb_checkpoints/a.json'],
  ]);
  const { error, there, log } = await upload();
  expect(error).toBeUndefined();
  expect(there.filter((name) => name.includes('.') && !name.startsWith('.ringlab'))).toEqual([
    'train/cat/1.jpg',
    'val/cat/1.JPEG',
  ]);
  expect(log).toContain('3 files without the extension of an image are not sent, such as train/cat/2.gif');
});

test('the nodes of one preparation get the same files, which are read once, however long it takes', async () => {
  write(['train/cat/1.jpg', 'val/cat/1.jpg']);
  const lab = labOf(['anna', 'berta', 'carla'], { data: { type: 'upload', path: path() } });
  const keys = createBucketKeys(createAsker(), createSecretMemory(keepsNothing));
  let now = 0;
  const steps = [
    createFactsStep(systemClock),
    createDataStep(
      createDataUpload(folder, () => (now += 60_000)),
      createDataS3(keys),
    ),
  ];
  const prepare = async (index: number, home: string, signal: AbortSignal) => {
    mkdirSync(join(folder, home));
    const run = stepRun(lab, createLocalShell({ home: join(folder, home) }), { node: lab.nodes[index]! });
    expect(await runSteps(steps, { ...run, signal })).toBeUndefined();
    const log = linesIn(run.status.step('data').snapshot().log, 'en');
    return { name: basename(run.work.data ?? ''), reads: log.split('reading ').length - 1 };
  };
  const { signal } = new AbortController();
  const first = await prepare(0, 'anna', signal);
  expect(first.reads).toBe(1);
  write(['train/cat/2.jpg']);
  expect(await prepare(1, 'berta', signal)).toEqual({ name: first.name, reads: 0 });
  const next = await prepare(2, 'carla', new AbortController().signal);
  expect(next.reads).toBe(1);
  expect(next.name).not.toBe(first.name);
});
