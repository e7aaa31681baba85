/** Tests of pictures in event files: fetched from the run's copy of the code through a real shell, never from outside. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import type { Point } from '../../../shared/metrics/metrics.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { RunServices } from '../record/services.ts';
import { createShellReach } from '../testing/shell-session.ts';
import { fetchPicture } from './media.ts';
import { pictureSize } from './picture-size.ts';

/** A transparent picture of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const huge = Buffer.from(png);
huge.writeUInt32BE(60_000, 16);
huge.writeUInt32BE(60_000, 20);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringlab-media-'));
  await mkdir(join(folder, 'node', 'runs', 'r', 'code', 'runs'), { recursive: true });
  await mkdir(join(folder, 'node', 'runs', 'r', 'rank-0'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function setUp(lines: readonly object[]) {
  const node = join(folder, 'node');
  const run = {
    id: 'r',
    name: 'run',
    lab: emptyLab('l', 'lab'),
    ranks: [{ rank: 0, nodeId: 'n', nodeName: 'N', directory: join(node, 'runs', 'r', 'rank-0') }],
  } as unknown as RunRecord; // fetchPicture reads only these fields
  const reach = createShellReach(new Map([['n', { home: node }]]));
  const points = lines.map((more, seq): Point => ({
    source: 'rank-0',
    line: {
      v: 1,
      seq,
      t: 1,
      kind: 'picture',
      step: 1,
      name: 'p',
      width: 1,
      height: 1,
      format: 'png',
      ...more,
    },
  }));
  const services = {
    store: { runFolder: () => join(folder, 'app'), lines: () => Promise.resolve(points) },
    reach,
  } as unknown as RunServices; // a fake with the two services that fetching uses
  return { run, reach, services, code: join(node, 'runs', 'r', 'code') };
}

it('is fetched from its place in the file, and kept: it is there when the node is gone', async () => {
  const { run, reach, services, code } = setUp([{ file: "runs/it's", offset: 5, length: png.length }]);
  await writeFile(
    join(code, 'runs', "it's"),
    Buffer.concat([Buffer.from('12345'), png, Buffer.from('rest')]),
  );
  const picture = await fetchPicture(services, run, { rank: 0, seq: 0 });
  expect(picture).toEqual({ format: 'png', base64: png.toString('base64') });
  expect(await readFile(join(folder, 'app/artifacts/pictures/rank-0-0.png'))).toEqual(png);
  reach.cut('n');
  expect(await fetchPicture(services, run, { rank: 0, seq: 0 })).toEqual(picture);
});

it('is nothing from outside of the run’s folder, and nothing that is no picture of its format or far too large', async () => {
  const length = png.length;
  const { run, services, code } = setUp([
    { file: 'link', offset: 0, length },
    { file: '../rank-0/secret', offset: 0, length },
    { file: 'gone', offset: 0, length },
    { file: 'text', offset: 0, length },
    { file: 'huge', offset: 0, length },
    { file: 'picture', offset: 0, length, format: 'jpeg' },
  ]);
  await writeFile(join(folder, 'node', 'secret'), png);
  await symlink(join(folder, 'node', 'secret'), join(code, 'link'));
  await writeFile(join(code, 'text'), '<svg xmlns="http://www.w3.org/2000/svg"/>'.padEnd(length));
  await writeFile(join(code, 'huge'), huge);
  await writeFile(join(code, 'picture'), png);
  for (const seq of [0, 1, 2, 3, 4, 5, 6])
    await expect(fetchPicture(services, run, { rank: 0, seq })).rejects.toMatchObject({
      code: 'nothing_to_export',
    });
});

describe('pictureSize', () => {
  it('reads what the formats claim', () => {
    expect(pictureSize(png)).toEqual({ format: 'png', width: 1, height: 1 });
    expect(pictureSize(Buffer.from('GIF89a\x05\x00\x03\x00', 'latin1'))).toMatchObject({
      width: 5,
      height: 3,
    });
    const jpeg = '\xff\xd8\xff\xe0\x00\x04ab\xff\xc4\x00\x02\xff\xff\xc2\x00\x08\x08\x00\x07\x00\x09\x01';
    expect(pictureSize(Buffer.from(jpeg, 'latin1'))).toEqual({ format: 'jpeg', width: 9, height: 7 });
  });

  it('ends at damaged ones', () => {
    for (const text of [
      '',
      '\xff\xd8\xff',
      '\xff\xd8\xff\xe0\x00\x00\x00\x00\x00\x00\x00\x00',
      '\x89PNG\r\n\x1a\n',
      'GIF89a',
    ])
      expect(pictureSize(Buffer.from(text, 'latin1'))).toBeUndefined();
  });
});
