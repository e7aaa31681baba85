/** A checkpoint is a node's file: whatever it holds, reading it costs little time and memory, and ends with a reason. */
import { crc32 } from 'node:zlib';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPickle } from '../run/artifacts/pickle.ts';
import { verifyCheckpoint } from '../run/artifacts/verify-checkpoint.ts';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-checkpoint-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

interface ZipEntry {
  readonly name: string;
  readonly bytes: Buffer;
  /** What the directory says instead. */
  readonly saysBytes?: number;
  readonly saysOffset?: number;
}

/** A zip as torch.save writes it: stored, not compressed. */
function zip(entries: readonly ZipEntry[], directoryBytes?: number): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, bytes, saysBytes, saysOffset } of entries) {
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt32LE(crc32(bytes), 16);
    entry.writeUInt32LE(saysBytes ?? bytes.length, 20);
    entry.writeUInt32LE(saysBytes ?? bytes.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(saysOffset ?? at, 42);
    directory.push(entry, Buffer.from(name));
    parts.push(local, Buffer.from(name), bytes);
    at += 30 + name.length + bytes.length;
  }
  const whole = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directoryBytes ?? whole.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, whole, end]);
}

const reasonOf = async (bytes: Buffer): Promise<string> => {
  const path = join(folder, 'checkpoint.pth.tar');
  await writeFile(path, bytes);
  const error: unknown = await verifyCheckpoint(path).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'file_unreadable' });
  return (error as { params: { reason: string } }).params.reason; // As was just seen.
};

/** Bytes of the heap that a piece of work held on to or threw away, as far as it can be seen. */
const heapOf = (work: () => void): number => {
  const before = process.memoryUsage().heapUsed;
  work();
  return process.memoryUsage().heapUsed - before;
};

describe('low finding: a pickle of 8 MiB made main busy for 10 s and took 1.8 GB', () => {
  const eight = 8 * 1024 * 1024;
  it.each([
    ['dictionaries', Buffer.alloc(eight, '}')],
    ['lists', Buffer.alloc(eight, ']')],
    ['tuples', Buffer.alloc(eight, ')')],
    ['marks', Buffer.alloc(eight, '(')],
    ['numbers', Buffer.alloc(eight, 'K')],
    ['tuples in tuples', Buffer.concat([Buffer.from('N'), Buffer.alloc(eight, 0x85)])],
    [
      'large whole numbers',
      Buffer.alloc(eight, Buffer.concat([Buffer.from([0x8a, 255]), Buffer.alloc(255, 7)])),
    ],
  ])('8 MiB of %s are refused before they have cost much', (_what, bytes) => {
    let thrown: unknown;
    const heap = heapOf(() => {
      try {
        readPickle(bytes);
      } catch (error) {
        thrown = error;
      }
    });
    expect(thrown).toBeInstanceOf(Error);
    expect(heap).toBeLessThan(200 * 1024 * 1024);
  });

  it('a tensor whose shape is one list of very many edges, shared by very many tensors, is refused', async () => {
    // { 'state_dict': { 'a': _rebuild(storage, 0, shape), 'b': …, … } }
    const shape = Buffer.concat([Buffer.from(']q\x01('), Buffer.alloc(200_000, 'K\x01'), Buffer.from('e0')]);
    const tensor = (n: number): Buffer =>
      Buffer.from(
        `X\x04\0\0\0${String(n).padStart(4, '0')}ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x01tQK\0h\x01tR`,
        'latin1',
      );
    const pickle = Buffer.concat([
      Buffer.from('\x80\x02', 'latin1'),
      shape.subarray(0, -1),
      Buffer.from('0', 'latin1').subarray(1),
      Buffer.from('}X\x0a\0\0\0state_dict}(', 'latin1'),
      ...Array.from({ length: 5000 }, (_, n) => tensor(n)),
      Buffer.from('us.', 'latin1'),
    ]);
    const bytes = zip([
      { name: 'a/data.pkl', bytes: pickle },
      { name: 'a/data/0', bytes: Buffer.alloc(4) },
    ]);
    expect(await reasonOf(bytes)).toMatch(/0000 has \d+ edges/);
  });

  it.each([
    ['a negative edge', 'J\xff\xff\xff\xff'],
    ['an edge that is no number', 'N'],
    ['an edge beyond all numbers', '\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x7f'],
  ])('a tensor with %s does not count as whole', async (_what, edge) => {
    const pickle = Buffer.from(
      `\x80\x02}X\x0a\0\0\0state_dict}X\x01\0\0\0actorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x01tQK\0(${edge}ttRss.`,
      'latin1',
    );
    const bytes = zip([
      { name: 'a/data.pkl', bytes: pickle },
      { name: 'a/data/0', bytes: Buffer.alloc(4) },
    ]);
    expect(await reasonOf(bytes)).toMatch(/a: .* do not fit into its 4 bytes/);
  });
});

describe('a zip that lies', () => {
  it('about the size of its directory takes no memory for it', async () => {
    const bytes = zip([{ name: 'a/data.pkl', bytes: Buffer.from('N.') }], 0xfffffff0);
    expect(await reasonOf(bytes)).toMatch(/directory is damaged/);
  });

  it('with entries that are all the same bytes is not read once for each', async () => {
    const content = Buffer.alloc(1024 * 1024);
    const entries = Array.from({ length: 5000 }, (_, n): ZipEntry => ({
      name: `a/data/${String(n).padStart(4, '0')}`,
      bytes: n === 0 ? content : Buffer.alloc(0),
      saysBytes: content.length,
      saysOffset: 0,
    }));
    expect(await reasonOf(zip(entries))).toMatch(/overlap/);
  });
});
