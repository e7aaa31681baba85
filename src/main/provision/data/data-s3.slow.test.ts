/** Tests `s3`: a fake bucket service that refuses wrong signatures, breaks off and changes its objects. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { PromptAnswer } from '../../../shared/contract/prompts.ts';
import type { StepRecord } from '../../../shared/node/provision.ts';
import { createSecretMemory } from '../../ssh/index.ts';
import { createLocalShell, programsOnly, type LocalShell } from '../../ssh/testing/local-shell.ts';
import { startStandInBucket, type StandInBucket } from '../../transfer/testing/stand-in-bucket.ts';
import { createBucketKeys, keepsNothing } from './bucket-keys.ts';
import { systemClock } from '../../base/clock.ts';
import type { NodeWork } from '../engine/step.ts';
import { createDataS3, type S3Data } from './data-s3.ts';
import { createDataStep } from './data.ts';
import { createDataUpload } from './data-upload.ts';
import { createFactsStep } from '../steps/facts.ts';
import { runSteps, stepRun } from '../testing/step-run.ts';
import { createAsker, type Asker } from '../testing/asker.ts';
import { labOf } from '../testing/bench.ts';
import { linesIn } from '../../../shared/base/phrase.ts';

const secretKey = 'wJalr/K7MDENG+bPxRfiCY';
let folder = '';
let service: StandInBucket;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-s3-'));
  service = await startStandInBucket({ bucket: 'drive', accessKeyId: 'AKIDANNA', secretKey, page: 5 });
});
afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Four training images and one validation image of each class, below `sets/pets`; names that break naive URL and
 * shell code.
 */
function fill(count = 4): void {
  for (const name of ['cat', '狗 "big" + small & co%20'])
    for (let i = 0; i < count; i += 1)
      service.objects.set(`sets/pets/train/${name}/${i}.jpg`, {
        bytes: Buffer.alloc(5000 + i, `${name}${i}`),
      });
  for (const name of ['cat', '狗 "big" + small & co%20'])
    service.objects.set(`sets/pets/val/${name}/$(id)'0.jpg`, { bytes: Buffer.alloc(3000, `v${name}`) });
  service.objects.set('sets/pets/', { bytes: Buffer.alloc(0) });
  service.objects.set('sets/pets/notes.txt', { bytes: Buffer.from('not ours') });
  service.objects.set('sets/pets2/train/x/1.jpg', { bytes: Buffer.from('another set') });
}

const labWith = (change: Partial<S3Data> = {}, names = ['anna']): LabDocument =>
  labOf(names, {
    data: {
      type: 's3',
      endpoint: service.url,
      region: 'us-east-1',
      bucket: 'drive',
      prefix: 'sets/pets',
      accessKeyId: 'AKIDANNA',
      ...change,
    },
  });
const knows = (): PromptAnswer => ({ kind: 'secret', secret: secretKey, remember: false });

interface Prepared {
  failed: unknown;
  step: StepRecord;
  work: NodeWork;
  shell: LocalShell;
}
/** Prepares nodes one after another, over one app. */
function preparer(asker: Asker, programs: Record<string, string> = {}, only?: string) {
  const keys = createBucketKeys(asker, createSecretMemory(keepsNothing));
  const steps = [createFactsStep(systemClock), createDataStep(createDataUpload(folder), createDataS3(keys))];
  return async (lab: LabDocument, index = 0): Promise<Prepared> => {
    const node = lab.nodes[index]!;
    const home = join(folder, 'homes', node.id);
    mkdirSync(home, { recursive: true });
    const path =
      only ?? `${programsOnly(mkdtempSync(join(folder, 'programs-')), programs)}:${process.env.PATH ?? ''}`;
    const shell = createLocalShell({ home, path });
    const run = stepRun(lab, shell, { node });
    const failed = await runSteps(steps, run);
    return { failed, step: run.status.step('data').snapshot(), work: run.work, shell };
  };
}

const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .filter((name) => !name.startsWith('.ringlab'))
    .sort();
const objectsGot = (): number =>
  service.asked.filter(({ method, what }) => method === 'GET' && what !== '?list').length;

test('objects below the prefix are listed in pages, downloaded, verified, and later found without a download', async () => {
  fill();
  const asker = createAsker(knows);
  const prepare = preparer(asker);
  const lab = labWith();
  const { failed, step, work, shell } = await prepare(lab);
  expect(failed).toBeUndefined();
  expect(step.summary.en).toMatch(/data\/s3-drive-[0-9a-f]{16} · 2 classes$/);
  const wanted = [...service.objects.keys()].filter((key) => /^sets\/pets\/(train|val)\//.test(key));
  expect(filesIn(work.data!)).toEqual(wanted.map((key) => key.slice('sets/pets/'.length)).sort());
  for (const key of wanted)
    expect(readFileSync(join(work.data!, key.slice('sets/pets/'.length)))).toEqual(
      service.objects.get(key)!.bytes,
    );
  expect(service.asked.filter(({ what }) => what === '?list').length).toBe(3);
  execFileSync('sha256sum', ['-c', '--quiet', '.ringlab-manifest'], { cwd: work.data! });

  // The secret was asked for once; neither it nor a signature is in a command, the log or a file.
  expect(asker.questions).toMatchObject([{ kind: 'bucket-key', bucket: 'drive', accessKeyId: 'AKIDANNA' }]);
  for (const text of [...shell.scripts, linesIn(step.log, 'en')])
    expect(text).not.toMatch(/X-Amz-|wJalr|AKIDANNA/);
  expect(() => execFileSync('grep', ['-rqE', 'X-Amz-|wJalr|AKIDANNA', folder])).toThrow();

  const before = objectsGot();
  expect((await prepare(lab)).step).toMatchObject({ state: 'done', alreadyThere: true });
  expect(objectsGot()).toBe(before);
  expect(asker.questions).toHaveLength(1);
});

test('an interrupted download of a large object resumes; no byte is sent twice', async () => {
  fill(1);
  const bytes = Buffer.alloc(300_000, 'large image ');
  service.objects.set('sets/pets/train/cat/large.jpg', { bytes });
  service.breakAfter = 120_000;
  const { failed, work } = await preparer(createAsker(knows))(labWith());
  expect(failed).toBeUndefined();
  expect(readFileSync(join(work.data!, 'train/cat/large.jpg'))).toEqual(bytes);
  const large = service.asked.filter(({ what }) => what.endsWith('large.jpg'));
  expect(large.map(({ from }) => from)).toEqual([0, 120_000]);
  const total = [...service.objects].filter(([key]) => /^sets\/pets\/(train|val)\//.test(key));
  expect(service.sent).toBe(total.reduce((sum, [, object]) => sum + object.bytes.length, 0));
});

test('objects downloaded before the app was killed are not downloaded again', async () => {
  fill();
  const lab = labWith();
  const broken = preparer(createAsker(knows), { md5sum: '#!/bin/sh\nexit 1\n' });
  // Nothing can be verified: all is discarded and reported.
  expect((await broken(lab)).failed).toMatchObject({ code: 'hash_mismatch', where: 'anna' });
  const cat = service.objects.get('sets/pets/train/cat/2.jpg')!;
  service.objects.set('sets/pets/train/cat/2.jpg', { ...cat, etag: '0'.repeat(32) });
  expect((await preparer(createAsker(knows))(lab)).failed).toMatchObject({
    code: 'hash_mismatch',
    params: { path: 's3://drive/sets/pets/train/cat/2.jpg' },
  });
  const before = objectsGot();
  expect((await preparer(createAsker(knows))(lab)).failed).toMatchObject({ code: 'hash_mismatch' });
  expect(objectsGot() - before).toBe(1);
});

test('if ETags are not MD5 sums, sizes are compared, and this is reported', async () => {
  fill();
  service.encryption = 'aws:kms';
  for (const object of service.objects.values()) object.etag = 'f'.repeat(32);
  const { failed, step } = await preparer(createAsker(knows))(labWith());
  expect(failed).toBeUndefined();
  expect(linesIn(step.log, 'en')).toContain('10 of 10 objects have no MD5 there: compared by size');
});

test('a wrong secret is asked for again', async () => {
  fill();
  const said = ['wrong', secretKey];
  const twice = createAsker(() => ({ kind: 'secret', secret: said.shift() ?? '', remember: false }));
  expect((await preparer(twice)(labWith())).failed).toBeUndefined();
  expect(twice.questions).toHaveLength(2);
});

test('three wrong secrets, or none, end the download', async () => {
  fill();
  const wrong = createAsker(() => ({ kind: 'secret', secret: 'never', remember: true }));
  expect((await preparer(wrong)(labWith())).failed).toMatchObject({
    code: 'bucket_refused',
    params: { bucket: 'drive', reason: 'SignatureDoesNotMatch: as asked' },
  });
  expect(wrong.questions).toHaveLength(3);
  const refusing = createAsker(() => ({ kind: 'refuse' }));
  expect((await preparer(refusing)(labWith())).failed).toMatchObject({ code: 'prompt_unanswered' });
});

test('a missing bucket is reported by name', async () => {
  fill();
  const other = await preparer(createAsker(knows))(labWith({ bucket: 'other' }));
  expect(other.failed).toMatchObject({
    code: 'bucket_refused',
    params: { reason: 'NoSuchBucket: as asked' },
  });
});

test('an empty prefix and an unreachable service are reported', async () => {
  fill();
  expect((await preparer(createAsker(knows))(labWith({ prefix: 'nothing' }))).failed).toMatchObject({
    code: 'data_missing',
    params: { path: 's3://drive/nothing' },
  });
  const gone = await preparer(createAsker(knows))(labWith({ endpoint: 'http://127.0.0.1:9' }));
  expect(gone.failed).toMatchObject({ code: 'download_failed' });
});

test('fault 23: free space is checked before any download', async () => {
  fill();
  const df =
    '#!/bin/sh\necho "Filesystem 1024-blocks Used Available Capacity Mounted"; echo "/dev/sda 100 90 10 90% /"\n';
  const { failed } = await preparer(createAsker(knows), { df })(labWith());
  expect(failed).toMatchObject({ code: 'node_disk_full', params: { free: 10_240 } });
  expect(objectsGot()).toBe(0);
});

test('a single archive is downloaded, unpacked, and later found; a public bucket needs no question', async () => {
  await service.close();
  service = await startStandInBucket({ bucket: 'drive', accessKeyId: '', secretKey: '', open: true });
  const pets = join(folder, 'pets');
  for (const part of ['train', 'val'])
    for (const name of ['a', 'b']) {
      mkdirSync(join(pets, part, name), { recursive: true });
      symlinkSync('/etc/hostname', join(pets, part, name, '1.jpg'));
    }
  execFileSync('tar', ['-chzf', join(folder, 'pets.tar.gz'), '-C', folder, 'pets']);
  service.objects.set('backup/pets.tar.gz', { bytes: readFileSync(join(folder, 'pets.tar.gz')) });
  const asker = createAsker();
  const prepare = preparer(asker);
  const lab = labWith({ prefix: '/backup/pets.tar.gz', accessKeyId: '' });
  const { failed, work } = await prepare(lab);
  expect(failed).toBeUndefined();
  expect(filesIn(work.data!)).toEqual(['train/a/1.jpg', 'train/b/1.jpg', 'val/a/1.jpg', 'val/b/1.jpg']);
  expect(existsSync(`${work.data!}.packed`)).toBe(false);
  expect((await prepare(lab)).step).toMatchObject({ alreadyThere: true });
  expect(asker.questions).toEqual([]);
});

test.each(['unpacked', 'noted'])(
  'an archive that was not %s in the end is not downloaded again',
  async (what) => {
    const pets = join(folder, 'pets');
    for (const part of ['train', 'val'])
      for (const name of ['a', 'b']) {
        mkdirSync(join(pets, part, name), { recursive: true });
        writeFileSync(join(pets, part, name, '1.jpg'), Buffer.alloc(40_000, name));
      }
    execFileSync('tar', ['-cf', join(folder, 'pets.tar'), '-C', folder, 'pets']);
    const bytes = readFileSync(join(folder, 'pets.tar'));
    service.objects.set('backup/pets.tar', { bytes });
    const lab = labWith({ prefix: 'backup/pets.tar' });
    const torn: Record<string, string> =
      what === 'unpacked'
        ? { tar: '#!/bin/sh\nhead -c 300000 /dev/zero > torn; kill -9 $PPID\n' }
        : {
            sha256sum: `#!/bin/sh\ncase "$PWD" in *.incoming-*) PATH=\${PATH#*:} exec sha256sum "$@";; esac\nexit 1\n`,
          };
    expect((await preparer(createAsker(knows), torn)(lab)).failed).toMatchObject({ code: 'command_failed' });
    const before = objectsGot();
    const free = Math.ceil((bytes.length * 1.5) / 1024);
    const df = `#!/bin/sh\necho "Filesystem 1024-blocks Used Available Capacity Mounted"; echo "/dev/sda 100 90 ${free} 90% /"\n`;
    const { failed, work } = await preparer(createAsker(knows), { df })(lab);
    expect(failed).toBeUndefined();
    expect(filesIn(work.data!)).toEqual(['train/a/1.jpg', 'train/b/1.jpg', 'val/a/1.jpg', 'val/b/1.jpg']);
    execFileSync('sha256sum', ['-c', '--quiet', '.ringlab-manifest'], { cwd: work.data! });
    expect(objectsGot()).toBe(before);
  },
);

test('split: each node downloads its part of the training images and all validation images', async () => {
  fill(5);
  const lab = labWith({ split: true }, ['anna', 'berta', 'clara']);
  const prepare = preparer(createAsker(knows));
  const parts: string[][] = [];
  for (const index of [0, 1, 2]) {
    const { failed, work } = await prepare(lab, index);
    expect(failed).toBeUndefined();
    parts.push(filesIn(work.data!));
  }
  for (const part of parts) expect(part.filter((name) => name.startsWith('val/'))).toHaveLength(2);
  const training = parts.map((part) => part.filter((name) => name.startsWith('train/')));
  expect(training.map((part) => part.length).sort()).toEqual([3, 3, 4]);
  expect(new Set(training.flat()).size).toBe(10);
  for (const part of training) expect(new Set(part.map((name) => name.split('/')[1])).size).toBe(2);
});

// Nodes have different download programs.
test.each(['curl', 'python3', 'wget'])('%s alone is sufficient, and resumes', async (tool) => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const place of ['/bin', '/usr/bin'])
    for (const name of readdirSync(place))
      if (!/^(curl|wget|python3.*)$/.test(name) || name === tool || name.startsWith(`${tool}.`))
        if (!existsSync(join(bin, name))) symlinkSync(join(place, name), join(bin, name));
  expect(existsSync(join(bin, tool)), `${tool} is installed here`).toBe(true);
  fill();
  service.objects.set('sets/pets/train/cat/large.jpg', { bytes: Buffer.alloc(200_000, 'y') });
  service.breakAfter = 90_000;
  const { failed } = await preparer(createAsker(knows), {}, bin)(labWith());
  expect(failed).toBeUndefined();
  expect(service.asked.filter(({ what }) => what.endsWith('large.jpg')).map(({ from }) => from)).toEqual([
    0, 90_000,
  ]);
});

test('finding: an archive name in a bucket that would inject a line into the download list is refused', async () => {
  const evil = Buffer.from('evil');
  service.objects.set('evil', { bytes: evil });
  service.objects.set(`sets/pets/a\n4\t-\t../evil\t${service.url}/drive/evil\nb.zip`, { bytes: evil });
  const { failed, shell } = await preparer(createAsker(knows))(labWith());
  expect(failed).toMatchObject({ code: 'bucket_refused' });
  expect(shell.stdins).toEqual([]);
});

test('a key with a backslash and quotes, as of a program of Windows, is fetched under its own name', async () => {
  fill();
  const name = 'a\\new "b".jpg';
  service.objects.set(`sets/pets/train/cat/${name}`, { bytes: Buffer.from('x') });
  const { failed, work } = await preparer(createAsker(knows))(labWith());
  expect(failed).toBeUndefined();
  expect(readdirSync(join(work.data!, 'train', 'cat'))).toContain(name);
});
