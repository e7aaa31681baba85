import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withZip64End, zip } from './testing/zip-file.ts';
import { checkStoredEntry, readZipEntries, readZipEntry, type ZipEntry } from './zip.ts';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'ringlab-zip-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const text = Buffer.from('the same text again and again. '.repeat(1000));
const many = 1 << 20;

/** The content of every entry, read with a maximum. */
async function contents(bytes: Buffer, max = many): Promise<string[]> {
  const path = join(folder, 'archive.zip');
  await writeFile(path, bytes);
  const file = await open(path);
  try {
    const read: string[] = [];
    for (const entry of await readZipEntries(file)) {
      if (!entry.isCompressed) await checkStoredEntry(file, entry);
      read.push((await readZipEntry(file, entry, max)).toString());
    }
    return read;
  } finally {
    await file.close();
  }
}

/** A file whose only entry has its sizes and offset in a zip64 field, and whose end is a zip64 one, too. */
function largeZip(content: Buffer, fields: readonly number[]): Buffer {
  const plain = zip([{ name: 'a', bytes: content }]);
  const start = plain.readUInt32LE(plain.length - 6);
  const entry = Buffer.from(plain.subarray(start, plain.length - 22));
  const extra = Buffer.alloc(4 + 8 * fields.length);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8 * fields.length, 2);
  fields.forEach((value, index) => extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index));
  entry.fill(0xff, 20, 28); // Both sizes,
  entry.fill(0xff, 42, 46); // and the offset.
  entry.writeUInt16LE(extra.length, 30);
  const end64 = Buffer.alloc(56);
  end64.write('PK\u0006\u0006', 'latin1');
  end64.writeBigUInt64LE(1n, 32);
  end64.writeBigUInt64LE(BigInt(entry.length + extra.length), 40);
  end64.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.write('PK\u0006\u0007', 'latin1');
  locator.writeBigUInt64LE(BigInt(start + entry.length + extra.length), 8);
  const end = Buffer.from(plain.subarray(plain.length - 22));
  end.fill(0xff, 8, 20);
  return Buffer.concat([plain.subarray(0, start), entry, extra, end64, locator, end]);
}

describe('a zip archive', () => {
  it('has its entries read, stored and compressed ones', async () => {
    const bytes = zip([
      { name: 'stored', bytes: text },
      { name: 'compressed', bytes: text, isCompressed: true },
      { name: 'empty', bytes: Buffer.alloc(0) },
      { name: 'compressed empty', bytes: Buffer.alloc(0), isCompressed: true },
    ]);
    expect(await contents(bytes)).toEqual([text.toString(), text.toString(), '', '']);
  });

  it('may end with a comment, and have nothing in it', async () => {
    const bytes = zip([{ name: 'a', bytes: text }]);
    bytes.writeUInt16LE(5, bytes.length - 2);
    expect(await contents(Buffer.concat([bytes, Buffer.from('a bit')]))).toEqual([text.toString()]);
    expect(await contents(zip([]))).toEqual([]);
  });

  it('has its sizes and offsets in zip64 fields where they are large', async () => {
    expect(await contents(largeZip(text, [text.length, text.length, 0]))).toEqual([text.toString()]);
  });

  it('may have both ends with the same values, as torch.save writes them', async () => {
    expect(await contents(withZip64End(zip([{ name: 'a', bytes: text }])))).toEqual([text.toString()]);
  });
});

describe('a hostile zip archive is refused:', () => {
  const compressed = (more: object): Buffer => zip([{ name: 'a', bytes: text, isCompressed: true, ...more }]);

  it.each([
    ['an entry that says it is larger than allowed', compressed({ saysBytes: many + 1 }), /larger than/],
    ['a zip bomb, which becomes larger than it says', compressed({ saysBytes: 100 }), /cannot be decomp/],
    ['a compressed entry that ends too early', compressed({ saysStoredBytes: 20 }), /cannot be decomp/],
    ['a compressed entry that is smaller than it says', compressed({ saysBytes: 40_000 }), /checksum/],
    ['an entry outside the file', compressed({ saysOffset: 0x7fffffff }), /ends too early/],
    ['an entry that begins within another', compressed({ saysOffset: 3 }), /header is damaged/],
    ['a directory beyond the file', zip([{ name: 'a', bytes: text }], 0xfffffff0), /directory is damaged/],
    ['a directory that is too short', zip([{ name: 'a', bytes: text }], 40), /directory is damaged/],
    ['zip64 fields that are missing', largeZip(text, [text.length]), /directory is damaged/],
    ['a size beyond all numbers', largeZip(text, [2 ** 60, 2 ** 60, 0]), /overlap/],
    [
      'an offset beyond all numbers',
      largeZip(text, [text.length, text.length, Number.MAX_SAFE_INTEGER]),
      /damaged/,
    ],
  ])('%s', async (_what, bytes, reason) => {
    await expect(contents(bytes)).rejects.toThrow(reason);
  });

  it.each([
    ['a zip64 end that says another place than the end', { start: 4 }],
    ['a zip64 end that says another length than the end', { length: 40 }],
  ])('%s: PyTorch takes the zip64 one', async (_what, directory) => {
    const bytes = withZip64End(zip([{ name: 'a', bytes: text }]), directory);
    await expect(contents(bytes)).rejects.toThrow(/directory is damaged/);
  });

  it('a directory that does not reach its end record, and one that lies too far before the end', async () => {
    const bytes = zip([{ name: 'a', bytes: text }]);
    const gap = Buffer.concat([bytes.subarray(0, -22), Buffer.from('gap'), bytes.subarray(-22)]);
    await expect(contents(gap)).rejects.toThrow(/directory is damaged/);
    // The end is found, but not the locator before it.
    const far = Buffer.concat([withZip64End(bytes), Buffer.alloc(65_535 + 10)]);
    await expect(contents(far)).rejects.toThrow(/its end is missing/);
  });

  it('entries that share their bytes', async () => {
    const entries = Array.from({ length: 100 }, (_, n) => ({
      name: `${n}`,
      bytes: n === 0 ? text : Buffer.alloc(0),
      saysBytes: text.length,
      saysOffset: 0,
    }));
    await expect(contents(zip(entries))).rejects.toThrow(/overlap/);
  });

  it('stored and other size of a stored entry that differ, and an unknown method', async () => {
    const differ = zip([{ name: 'a', bytes: text, saysStoredBytes: 10 }]);
    await expect(contents(differ)).rejects.toThrow(/directory is damaged/);
    const unknown = compressed({});
    unknown.writeUInt16LE(12, unknown.readUInt32LE(unknown.length - 6) + 10);
    await expect(contents(unknown)).rejects.toThrow(/method 12/);
  });

  it('a changed byte', async () => {
    const bytes = zip([{ name: 'a', bytes: text }]);
    bytes.write('T', 31);
    await expect(contents(bytes)).rejects.toThrow(/checksum is wrong/);
  });

  it('the maximum is the caller’s', async () => {
    const bytes = zip([{ name: 'a', bytes: text }]);
    await expect(contents(bytes, text.length - 1)).rejects.toThrow(/larger than/);
    expect(await contents(bytes, text.length)).toHaveLength(1);
    // Read without an archive: what an entry says is not trusted either.
    const path = join(folder, 'short.zip');
    await writeFile(path, bytes);
    const file = await open(path);
    const entry: ZipEntry = {
      name: 'a',
      isCompressed: false,
      crc: 0,
      bytes: text.length * 2,
      storedBytes: text.length * 2,
      offset: 0,
      isFolder: false,
    };
    await expect(readZipEntry(file, entry, many)).rejects.toThrow(/ends too early/);
    await file.close();
  });
});
