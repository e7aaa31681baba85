/** Attack: hostile checkpoint files of a node. Reading any takes little time and memory, and ends with a reason. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPickle } from '../run/artifacts/pickle.ts';
import { withZip64End, zip, type WrittenEntry } from '../base/testing/zip-file.ts';
import { pickleOf, smallCheckpoint } from '../run/testing/checkpoint-file.ts';
import { mustBePlainData, verifyCheckpoint } from '../run/artifacts/verify-checkpoint.ts';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-checkpoint-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

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
  ])('8 MiB of %s are refused before they use much time or memory', (_what, bytes) => {
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

  it('refuses a tensor whose shape is one very long list, shared by very many tensors', async () => {
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
    expect(await reasonOf(bytes)).toMatch(/0000 has \d+ dimensions/);
  });

  it.each([
    ['a negative edge', 'J\xff\xff\xff\xff'],
    ['an edge that is no number', 'N'],
    ['an edge beyond all numbers', '\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x7f'],
  ])('a tensor with %s is not complete', async (_what, edge) => {
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

describe('a pickle that would execute code', () => {
  const pickle = (more: string): Buffer => smallCheckpoint(pickleOf(more));
  it.each([
    ['a call', 'X\x01\0\0\0xcos\nsystem\nX\x02\0\0\0id\x85R', /calls os\.system/],
    [
      'a call of what builtins has',
      'X\x01\0\0\0xcbuiltins\neval\nX\x02\0\0\0id\x85R',
      /calls builtins\.eval/,
    ],
    ['a module that is imported', 'X\x01\0\0\0xcantigravity\nx\n', /names antigravity\.x/],
    ['a state for a class', 'X\x01\0\0\0xccollections\nOrderedDict\n}b', /sets attributes/],
  ])('by %s is refused by name', async (_what, more, reason) => {
    expect(await reasonOf(pickle(more))).toMatch(reason);
  });

  it('outside the checked part is refused: another start, a second pickle, TorchScript', async () => {
    const old = Buffer.from("cos\nsystem\n(S'id'\ntR.", 'latin1');
    expect(await reasonOf(Buffer.concat([old, smallCheckpoint()]))).toMatch(/does not begin as one/);
    const data = { name: 'archive/data/0', bytes: Buffer.alloc(4) };
    const twice = [
      { name: 'archive/data.pkl', bytes: pickleOf() },
      { name: 'other/data.pkl', bytes: old },
      data,
    ];
    expect(await reasonOf(zip(twice))).toMatch(/more than one folder|pickles/);
    const script = [
      { name: 'archive/data.pkl', bytes: pickleOf() },
      { name: 'archive/constants.pkl', bytes: old },
      data,
    ];
    expect(await reasonOf(zip(script))).toMatch(/pickles/);
  });

  describe('where PyTorch reads other bytes than a reader of its own would', () => {
    const evil = Buffer.from('cos\nsystem\n(X\x02\0\0\0idtR.', 'latin1');
    const data = { name: 'archive/data/0', bytes: Buffer.alloc(4) };
    const plain = { name: 'archive/data.pkl', bytes: pickleOf() };

    it('is refused: a second directory that only the zip64 record names', async () => {
      // The entries and the directory of the evil archive, moved behind those of the plain one.
      const first = zip([plain, data]);
      const second = zip([{ ...plain, bytes: evil }, data]);
      const start = second.readUInt32LE(second.length - 6);
      const directory = Buffer.from(second.subarray(start, -22));
      directory.writeUInt32LE(first.length, 42);
      const secondEntry = directory.indexOf('PK\u0001\u0002', 4, 'latin1');
      directory.writeUInt32LE(second.readUInt32LE(start + secondEntry + 42) + first.length, secondEntry + 42);
      const both = Buffer.concat([first, second.subarray(0, start), directory, first.subarray(-22)]);
      const bytes = withZip64End(both, { start: first.length + start, length: directory.length });
      expect(await reasonOf(bytes)).toMatch(/directory is damaged/);
    });

    it('is not refused: both end records, as torch.save writes them', async () => {
      const path = join(folder, 'both.pth.tar');
      await writeFile(path, withZip64End(smallCheckpoint()));
      await expect(verifyCheckpoint(path)).resolves.toMatchObject({ tensors: 1 });
    });

    const names = (...more: string[]): Buffer =>
      zip([plain, ...more.map((name) => ({ name, bytes: evil })), data]);
    it.each([
      ['names that differ in case', names('archive/Data.pkL', 'archive/DATA.PKL'), /twice/],
      ['an ending in other letters', names('archive/other.PKL'), /2 pickles/],
      ['TorchScript in other letters', names('archive/Constants.PKL'), /2 pickles/],
      [
        'a name with NUL, which ends there',
        zip([{ ...plain, name: 'a\0b/data.pkl' }, { name: 'a', bytes: evil }, data]),
        /not plain text/,
      ],
      [
        'a pickle that is marked as a folder, which is not read into memory',
        zip([{ ...plain, attributes: 0x10 }, data]),
        /marked as a folder/,
      ],
    ])('is refused: %s', async (_what, bytes, reason) => {
      expect(await reasonOf(bytes)).toMatch(reason);
    });
  });

  it('is not fetched from a node', async () => {
    const path = join(folder, 'model_best.pth.tar');
    await writeFile(path, smallCheckpoint());
    await mustBePlainData(path, 'model_best.pth.tar', 'N1');
    await writeFile(path, pickle('X\x01\0\0\0xcos\nsystem\nX\x02\0\0\0id\x85R'));
    await expect(mustBePlainData(path, 'model_best.pth.tar', 'N1')).rejects.toMatchObject({
      code: 'checkpoint_refused',
      where: 'N1',
      params: { artifact: 'model_best.pth.tar', reason: 'the pickle calls os.system' },
    });
    await writeFile(path, "cos\nsystem\n(S'id'\ntR.");
    await expect(mustBePlainData(path, 'model_best.pth.tar', 'N1')).rejects.toMatchObject({
      code: 'checkpoint_refused',
    });
  });
});

describe('a malformed zip', () => {
  it('with a false directory size allocates no memory for it', async () => {
    const bytes = zip([{ name: 'a/data.pkl', bytes: Buffer.from('N.') }], 0xfffffff0);
    expect(await reasonOf(bytes)).toMatch(/directory is damaged/);
  });

  it('whose entries share the same bytes reads them only once', async () => {
    const content = Buffer.alloc(1024 * 1024);
    const entries = Array.from({ length: 5000 }, (_, n): WrittenEntry => ({
      name: `a/data/${String(n).padStart(4, '0')}`,
      bytes: n === 0 ? content : Buffer.alloc(0),
      saysBytes: content.length,
      saysOffset: 0,
    }));
    expect(await reasonOf(zip(entries))).toMatch(/overlap/);
  });
});
