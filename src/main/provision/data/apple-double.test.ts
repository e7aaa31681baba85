import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { createSecretMemory } from '../../ssh/index.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { startStandInBucket } from '../../transfer/testing/stand-in-bucket.ts';
import type { Experiment } from '../../../shared/lab/lab.ts';
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
  folder = mkdtempSync(join(tmpdir(), 'ringlab-apple-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The start of what macOS writes. */
const beside = Buffer.from([0x00, 0x05, 0x16, 0x07, 0x00, 0x02, 0x00, 0x00]);
const image = Buffer.from('image');
const files = ['train', 'val'].flatMap((part) => [
  [`${part}/cat/1.jpg`, image] as const,
  [`${part}/cat/._1.jpg`, beside] as const,
]);

/** The files on the node after the data step. */
async function brought(data: Experiment['data']): Promise<string[]> {
  const lab = labOf(['anna'], { data });
  const home = join(folder, 'home');
  mkdirSync(home);
  const keys = createBucketKeys(
    createAsker(() => ({ kind: 'secret', secret: 'secret', remember: false })),
    createSecretMemory(keepsNothing),
  );
  const steps = [createFactsStep(systemClock), createDataStep(createDataUpload(folder), createDataS3(keys))];
  const run = stepRun(lab, createLocalShell({ home }), { node: lab.nodes[0]! });
  expect(await runSteps(steps, run)).toBeUndefined();
  return readdirSync(run.work.data!, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.jpg'))
    .sort();
}

test('what macOS puts beside images of a folder is not sent; a file of the user with such a name is', async () => {
  const path = join(folder, 'pets');
  for (const [name, content] of [
    ...files,
    ['train/cat/._mine.jpg', image] as const,
    ['train/cat/._.jpg', Buffer.alloc(0)] as const,
  ]) {
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  expect(await brought({ type: 'upload', path })).toEqual([
    'train/cat/._.jpg',
    'train/cat/._mine.jpg',
    'train/cat/1.jpg',
    'val/cat/1.jpg',
  ]);
});

test('what macOS put beside images that were copied to a bucket is not fetched', async () => {
  const keys = { accessKeyId: 'AKIDANNA', secretKey: 'secret' };
  const service = await startStandInBucket({ bucket: 'drive', ...keys });
  try {
    for (const [name, bytes] of [...files, ['train/cat/._mine.jpg', image] as const])
      service.objects.set(`pets/${name}`, { bytes });
    const data = {
      type: 's3',
      endpoint: service.url,
      region: 'us-east-1',
      bucket: 'drive',
      prefix: 'pets',
      accessKeyId: keys.accessKeyId,
    } as const;
    expect(await brought(data)).toEqual(['train/cat/._mine.jpg', 'train/cat/1.jpg', 'val/cat/1.jpg']);
    expect(service.asked.some(({ what }) => what.endsWith('._1.jpg'))).toBe(false);
  } finally {
    await service.close();
  }
});
