/** Tests of sample images, through a real shell: one a class, small enough, and nothing that is no image. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { createShellReach } from '../testing/shell-session.ts';
import { sampleImages } from './sample-images.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ringlab-it's-samples-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(200, 7)]);

async function put(name: string, content: Buffer): Promise<void> {
  await mkdir(join(folder, 'val', name, '..'), { recursive: true });
  await writeFile(join(folder, 'val', name), content);
}

/** @param nodes of the ranks, in their order; the one that can be reached is `n` */
async function samples(data = folder, nodes = ['n'], memberships?: RunRecord['memberships']) {
  const argv = ['ringlab-train', '--seed', '1', data];
  const ranks = nodes.map((nodeId, rank) => ({ rank, nodeId, nodeName: 'N', argv }));
  const run = { id: 'r', lab: emptyLab('l', 'lab'), ranks, memberships } as unknown as RunRecord; // the fields that are read
  return sampleImages({ reach: createShellReach(new Map([['n', { home: folder }]])) }, run);
}

it('are one of each class, with its name', async () => {
  await put('moon/1.jpg', jpeg);
  await put('moon/2.jpg', jpeg);
  await put('-n a star/it’s one.jpg', jpeg);
  const found = await samples();
  expect(found.map((one) => one.class).sort()).toEqual(['-n a star', 'moon']);
  const star = found.find((one) => one.class !== 'moon');
  expect(star?.name).toBe('it’s one.jpg');
  expect(Buffer.from(star?.base64 ?? '', 'base64').equals(jpeg)).toBe(true);
});

it('are found through links: of classes, and of pictures', async () => {
  await put('../store/star/1.jpg', jpeg);
  await mkdir(join(folder, 'val', 'moon'), { recursive: true });
  await symlink(join(folder, 'store', 'star'), join(folder, 'val', 'star'));
  await symlink(join(folder, 'store', 'star', '1.jpg'), join(folder, 'val', 'moon', '2.jpg'));
  const found = await samples();
  expect(found.map((one) => `${one.class}/${one.name}`).sort()).toEqual(['moon/2.jpg', 'star/1.jpg']);
});

it('come from a node that takes part, where rank 0’s was lost', async () => {
  await put('moon/1.jpg', jpeg);
  const left = { generation: 1, ranks: [1], lost: [0], step: 4, t: 10 };
  expect(await samples(folder, ['lost', 'n'], [left])).toHaveLength(1);
});

it('are spread over many classes', async () => {
  for (let index = 10; index < 50; index += 1) await put(`class-${index}/a.jpg`, jpeg);
  const found = await samples();
  expect(found).toHaveLength(6);
  expect(Number(found.at(-1)?.class.slice(6))).toBeGreaterThan(40);
});

it('leave out what is large, no image, or named to break lines', async () => {
  await put('large/a.jpg', Buffer.concat([jpeg, Buffer.alloc(300_000)]));
  await put('text/a.jpg', Buffer.from('#!/bin/sh'));
  await put('lines/a\nb.jpg', jpeg);
  await put('li\tnes/a.jpg', jpeg);
  expect(await samples()).toEqual([]);
});

it('are none where the data are no folder, or the run had none', async () => {
  expect(await samples(join(folder, 'missing'))).toEqual([]);
  expect(await samples('--dummy')).toEqual([]);
});
