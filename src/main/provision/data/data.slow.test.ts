import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Experiment, LabDocument } from '../../../shared/lab/lab.ts';
import type { StepRecord } from '../../../shared/node/provision.ts';
import { programsOnly } from '../../ssh/testing/local-shell.ts';
import { createBench, labOf, type Bench, type BenchOptions } from '../testing/bench.ts';
import { freePort } from '../../ssh/testing/free-port.ts';
import { linesIn } from '../../../shared/base/phrase.ts';

let folder = '';
let bench: Bench | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-data-'));
});
afterEach(() => {
  bench?.close();
  rmSync(folder, { recursive: true, force: true });
});
const start = (options?: BenchOptions): Bench => (bench = createBench(options));
/** A preparation in which the trainer does nothing. */
const startLight = (options?: BenchOptions): Bench => start({ trainer: 'stand-in', ...options });

const lab = async (data: Experiment['data'], names = ['anna']): Promise<LabDocument> =>
  labOf(names, { data, port: await freePort() });
const dataStep = (of: Bench, document: LabDocument): StepRecord =>
  of.provisioner.status(document)[0]!.steps.find(({ id }) => id === 'data')!;

function imageFolder(path: string, train: string[], val: string[]): string {
  for (const [part, names] of [
    ['train', train],
    ['val', val],
  ] as const) {
    mkdirSync(join(path, part), { recursive: true });
    for (const name of names) {
      mkdirSync(join(path, part, name));
      writeFileSync(join(path, part, name, '1.jpg'), `${part} ${name}`);
    }
  }
  return path;
}

test('a folder on the node is used in place; `~` is the node’s own home', async () => {
  const { provisioner } = startLight({
    shell: (_, home) => {
      imageFolder(join(home, 'my "data" 图'), ['cat', 'dog'], ['cat', 'dog']);
      return {};
    },
  });
  const document = await lab({ type: 'folder', path: ' ~/my "data" 图 ' });
  const ready = await provisioner.prepare(document);
  expect(ready.nodes[0]?.data).toBe(join(ready.nodes[0]!.facts.home, 'my "data" 图'));
  expect(dataStep(bench!, document)).toMatchObject({ state: 'done', alreadyThere: true });
  expect(dataStep(bench!, document).summary.en).toContain('2 classes');
});

test.each([
  ['is not there', () => undefined, 'data_missing', ''],
  [
    'has no val/',
    (path: string) => mkdirSync(join(path, 'train', 'cat'), { recursive: true }),
    'data_missing',
    '/val',
  ],
  ['has no classes in train/', (path: string) => imageFolder(path, [], ['cat']), 'data_no_classes', '/train'],
  ['has no classes in val/', (path: string) => imageFolder(path, ['cat'], []), 'data_no_classes', '/val'],
  [
    'has other classes in val/',
    (path: string) => imageFolder(path, ['cat', 'dog'], ['cat']),
    'data_classes_differ',
    '',
  ],
])('a data folder that %s is reported with the node and the path', async (_, prepare, code, below) => {
  const path = join(folder, 'images');
  prepare(path);
  const { provisioner } = startLight();
  const document = await lab({ type: 'folder', path }, ['anna']);
  await expect(provisioner.prepare(document)).rejects.toMatchObject({
    code,
    where: 'anna',
    params: { path: `${path}${below}` },
  });
  expect(dataStep(bench!, document)).toMatchObject({ state: 'failed', error: { code } });
  expect(provisioner.status(document)[0]?.state).toBe('failed');
});

test('a folder of this computer is sent to each node once, and later found there', async () => {
  const { provisioner, shell } = startLight();
  const path = imageFolder(join(folder, 'pets'), ['cat', 'dog'], ['cat', 'dog']);
  const document = await lab({ type: 'upload', path }, ['anna', 'berta']);
  const ready = await provisioner.prepare(document);
  for (const node of ready.nodes) {
    expect(node.data).toMatch(/\/\.ringlab\/data\/pets-[0-9a-f]{16}$/);
    expect(readdirSync(join(node.data, 'train'))).toEqual(['cat', 'dog']);
  }
  const sent = shell('n1').stdins.length;
  await provisioner.prepare(document);
  expect(shell('n1').stdins.length).toBe(sent);
  expect(dataStep(bench!, document).alreadyThere).toBe(true);
});

function mnist(path: string): string {
  mkdirSync(path, { recursive: true });
  for (const split of ['train', 't10k']) {
    writeFileSync(join(path, `${split}-images-idx3-ubyte.gz`), `${split} images`);
    writeFileSync(join(path, `${split}-labels-idx1-ubyte`), `${split} labels`);
  }
  return path;
}

test('MNIST’s files on a node are accepted as data, wherever torchvision stored them', async () => {
  const { provisioner } = startLight();
  mnist(join(folder, 'mnist', 'MNIST', 'raw'));
  const document = await lab({ type: 'folder', path: join(folder, 'mnist'), size: 28 });
  await provisioner.prepare(document);
  expect(dataStep(bench!, document).summary.en).toContain('10 classes');
});

test('only a set’s own files are sent from its folder', async () => {
  const { provisioner } = startLight();
  const path = join(folder, 'downloads');
  mnist(join(path, 'raw'));
  mkdirSync(join(path, 'cifar-100-binary'));
  writeFileSync(join(path, 'raw', 'notes.txt'), 'mine');
  const ready = await provisioner.prepare(await lab({ type: 'upload', path, size: 28 }));
  const there = ready.nodes[0]!.data;
  expect(readdirSync(join(there, 'raw')).toSorted()).toEqual(
    readdirSync(join(path, 'raw'))
      .filter((name) => name !== 'notes.txt')
      .toSorted(),
  );
  expect(readFileSync(join(there, 'raw', 't10k-labels-idx1-ubyte'), 'utf8')).toBe('t10k labels');
  expect(readdirSync(there)).not.toContain('cifar-100-binary');
});

test('split: each node gets its part of the training images and all validation images', async () => {
  const { provisioner } = startLight();
  const path = imageFolder(join(folder, 'pets'), ['cat', 'dog'], ['cat', 'dog']);
  for (const name of ['cat', 'dog'])
    for (let i = 0; i < 5; i += 1) writeFileSync(join(path, 'train', name, `more-${i}.jpg`), `${name} ${i}`);
  const files = (of: string): string[] =>
    readdirSync(of, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jpg'));
  const all = files(path);
  const document = await lab({ type: 'upload', path, split: true }, ['anna', 'berta']);
  const parts = (await provisioner.prepare(document)).nodes.map(({ data }) => files(data));
  const [anna = [], berta = []] = parts;
  const training = (part: readonly string[]): string[] => part.filter((name) => name.startsWith('train/'));
  expect([...training(anna), ...training(berta)].toSorted()).toEqual(training(all).toSorted());
  expect(Math.abs(training(anna).length - training(berta).length)).toBeLessThanOrEqual(1);
  for (const part of parts)
    expect(part.filter((name) => name.startsWith('val/'))).toHaveLength(all.length - training(all).length);
});

test('a set of few files cannot be split, which is reported before anything is sent', async () => {
  const { provisioner, shell } = startLight();
  const path = mnist(join(folder, 'mnist'));
  const document = await lab({ type: 'upload', path, size: 28, split: true });
  await expect(provisioner.prepare(document)).rejects.toMatchObject({
    code: 'data_not_divisible',
    params: { name: 'MNIST' },
  });
  expect(existsSync(join(await shell('n0').home(), '.ringlab', 'data'))).toBe(false);
});

test('a damaged upload is sent again on request', async () => {
  const { provisioner } = startLight();
  const path = imageFolder(join(folder, 'pets'), ['cat'], ['cat']);
  const document = await lab({ type: 'upload', path });
  const { nodes } = await provisioner.prepare(document);
  const file = join(nodes[0]!.data, 'train', 'cat', '1.jpg');
  writeFileSync(file, 'spoiled');
  await provisioner.prepare(document, { redo: ['data'] });
  expect(dataStep(bench!, document).alreadyThere).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe('train cat');
});

test('an upload without classes is refused before anything is sent', async () => {
  const { provisioner, shell } = startLight();
  const path = imageFolder(join(folder, 'pets'), ['cat'], []);
  await expect(provisioner.prepare(await lab({ type: 'upload', path }))).rejects.toMatchObject({
    code: 'data_no_classes',
    params: { path: `${path}/val` },
  });
  expect(shell('n0').stdins).toEqual([]);
});

test('fault 17: the step itself resumes after a lost connection during the upload', async () => {
  let losses = 0;
  const { provisioner } = startLight({
    shell: () => ({
      before(script) {
        if (!script.includes('tar -x') || losses > 0) return;
        losses += 1;
        throw new RinglabError('connection_lost', { host: 'anna' });
      },
    }),
  });
  const path = imageFolder(join(folder, 'pets'), ['cat'], ['cat']);
  const document = await lab({ type: 'upload', path });
  await provisioner.prepare(document);
  expect(losses).toBe(1);
  expect(linesIn(dataStep(bench!, document).log, 'en')).toMatch(/connection .*lost/i);
});

test('fault 23: with a full disk, shapes are not written; needed and free bytes are reported', async () => {
  // Simulates a full disk with a fake `df`.
  const bin = programsOnly(join(folder, 'bin'), {
    df: '#!/bin/sh\necho heading\necho "/dev/vda 9000000 8980000 20000 99% /"\n',
  });
  const { provisioner } = start({ shell: () => ({ path: `${bin}:${process.env.PATH ?? ''}` }) });
  const document = await lab({ type: 'shapes', train: 50_000, validation: 10_000, size: 32, seed: 1 });
  await expect(provisioner.prepare(document)).rejects.toMatchObject({
    code: 'node_disk_full',
    where: 'anna',
    params: { free: 20_480_000, needed: 60_000 * 4096 },
  });
  expect(readdirSync(join(bench!.folder, 'nodes', 'n0', '.ringlab'))).toEqual(['trainers']);
});

test('shapes are created once; other settings create a separate folder', async () => {
  const { provisioner } = start();
  const shapes = { type: 'shapes', train: 20, validation: 10, size: 16, seed: 1 } as const;
  await provisioner.prepare(await lab(shapes));
  await provisioner.prepare(await lab({ ...shapes, seed: 2 }));
  const data = join(bench!.folder, 'nodes', 'n0', '.ringlab', 'data');
  expect(readdirSync(data).sort()).toEqual(['shapes-16-20-10-1', 'shapes-16-20-10-2']);
  // An incomplete folder: its name is not enough.
  rmSync(join(data, 'shapes-16-20-10-1', 'val'), { recursive: true });
  const document = await lab(shapes);
  await provisioner.prepare(document, { redo: ['data'] });
  expect(dataStep(bench!, document)).toMatchObject({ state: 'done', alreadyThere: false });
  expect(readdirSync(join(data, 'shapes-16-20-10-1', 'val')).length).toBe(10);
});
