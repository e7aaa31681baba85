/**
 * Reads zip archives from anywhere, hostile ones too: every size is checked before it is used, the directory and each read have a
 * maximum, and a compressed entry never becomes larger than its caller allows.
 */
import { phrase } from '../i18n/index.ts';
import { WordedError } from './reason.ts';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly isCompressed: boolean;
  /** Checksum of its content. */
  readonly crc: number;
  /** Size of its content. */
  readonly bytes: number;
  /** Size that it has in the archive. */
  readonly storedBytes: number;
  /** Offset of its local header in the file. */
  readonly offset: number;
  /** Marked as a folder in the way of MS-DOS: some readers then read no content. */
  readonly isFolder: boolean;
}

const signatures = {
  entry: 0x02014b50,
  local: 0x04034b50,
  end: 0x06054b50,
  zip64Locator: 0x07064b50,
  zip64End: 0x06064b50,
} as const;
/** Sizes of the records without what has a length of its own. */
const fixed = { entry: 46, local: 30, end: 22, zip64Locator: 20, zip64End: 56 } as const;
const methods = { stored: 0, deflated: 8 } as const;
/** A value in its zip64 field instead. */
const wide32 = 0xffffffff;
const wide16 = 0xffff;
/** Of an entry's external attributes. */
const folderAttribute = 0x10;

const chunkBytes = 4 * 1024 * 1024;
const maxRead = 32 * 1024 * 1024;
/** Of a checkpoint: one entry for each tensor, and a few more. */
const maxEntries = 100_000;
const maxDirectory = 32 * 1024 * 1024;
const maxComment = 65_535;

const damaged = (): Error => new WordedError(phrase('reasons.zip.directory'));

/** Whether a file begins with an entry. Programs that look at the beginning alone do not treat another one as a zip. */
export const beginsAsZip = async (file: FileHandle): Promise<boolean> =>
  (await readAt(file, 0, 4)).readUInt32LE(0) === signatures.local;

/** The archive's directory, with zip64 fields. Throws with the reason where it is no valid one. */
export async function readZipEntries(file: FileHandle): Promise<ZipEntry[]> {
  const { size } = await file.stat();
  const { count, length, start } = await findDirectory(file, size);
  if (count > maxEntries || length > maxDirectory || start + length > size) throw damaged();
  const directory = await readAt(file, start, length);
  const entries: ZipEntry[] = [];
  for (let at = 0; entries.length < count;) {
    if (at + fixed.entry > length || directory.readUInt32LE(at) !== signatures.entry) throw damaged();
    const method = directory.readUInt16LE(at + 10);
    const name = at + fixed.entry;
    const extra = name + directory.readUInt16LE(at + 28);
    const comment = extra + directory.readUInt16LE(at + 30);
    const next = comment + directory.readUInt16LE(at + 32);
    if (next > length) throw damaged();
    if (method !== methods.stored && method !== methods.deflated)
      throw new WordedError(phrase('reasons.zip.method', { method }));
    entries.push({
      name: directory.toString('utf8', name, extra),
      isCompressed: method === methods.deflated,
      crc: directory.readUInt32LE(at + 16),
      isFolder: (directory.readUInt32LE(at + 38) & folderAttribute) !== 0,
      ...placeOf(directory.subarray(extra, comment), {
        storedBytes: directory.readUInt32LE(at + 20),
        bytes: directory.readUInt32LE(at + 24),
        offset: directory.readUInt32LE(at + 42),
      }),
    });
    at = next;
  }
  // Overlapping entries would each be read: limits the total.
  if (entries.reduce((sum, { storedBytes }) => sum + storedBytes, 0) > size)
    throw new WordedError(phrase('reasons.zip.overlap'));
  if (entries.some(({ isCompressed, bytes, storedBytes }) => !isCompressed && bytes !== storedBytes))
    throw damaged();
  return entries;
}

/** An entry's content, its checksum verified. Throws where that is more than `max` bytes, whatever the directory says. */
export async function readZipEntry(file: FileHandle, entry: ZipEntry, max: number): Promise<Buffer> {
  const { name, bytes, storedBytes, isCompressed } = entry;
  if (bytes > max || storedBytes > max) throw new WordedError(phrase('reasons.zip.large', { name, max }));
  const chunks: Buffer[] = [];
  for await (const chunk of storedChunks(file, entry)) chunks.push(chunk);
  const stored = Buffer.concat(chunks);
  const content = isCompressed ? await inflated(stored, entry) : stored;
  if (content.length !== bytes || crc32(content) !== entry.crc)
    throw new WordedError(phrase('reasons.zip.checksum', { name }));
  return content;
}

/** Verifies the checksum of an entry of any size, which must be stored and not compressed, in little memory. */
export async function checkStoredEntry(file: FileHandle, entry: ZipEntry): Promise<void> {
  let crc = 0;
  for await (const chunk of storedChunks(file, entry)) crc = crc32(chunk, crc);
  if (crc !== entry.crc) throw new WordedError(phrase('reasons.zip.checksum', { name: entry.name }));
}

interface Directory {
  readonly count: number;
  readonly length: number;
  readonly start: number;
}

/**
 * Takes the directory that miniz takes, PyTorch's reader, or refuses the file: what is checked here must be what is read there. miniz
 * uses the zip64 record wherever its locator stands, and its versions differ in where a directory begins that does not reach its end record.
 */
async function findDirectory(file: FileHandle, size: number): Promise<Directory> {
  const tailLength = Math.min(size, fixed.end + maxComment + fixed.zip64Locator);
  const tail = await readAt(file, size - tailLength, tailLength);
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const locator = end - fixed.zip64Locator;
  // A locator before the part that was read would be missed.
  if (end < 0 || end + fixed.end > tailLength || (locator < 0 && tailLength < size))
    throw new WordedError(phrase('reasons.zip.noEnd'));
  const said: Directory = {
    count: tail.readUInt16LE(end + 10),
    length: tail.readUInt32LE(end + 12),
    start: tail.readUInt32LE(end + 16),
  };
  const after = size - tailLength + end;
  if (locator >= 0 && tail.readUInt32LE(locator) === signatures.zip64Locator)
    return await zip64Directory(file, said, {
      record: Number(tail.readBigUInt64LE(locator + 8)),
      after: after - fixed.zip64Locator - fixed.zip64End,
    });
  if (said.count === wide16 || said.length === wide32 || said.start === wide32)
    throw new WordedError(phrase('reasons.zip.noZip64'));
  if (said.start + said.length !== after) throw damaged();
  return said;
}

/**
 * @param said by the end record, whose fields are all ones or the same: torch.save writes both records
 * @param at where the locator says that the record is, and where it has to be: before the locator, after the directory
 */
async function zip64Directory(
  file: FileHandle,
  said: Directory,
  at: { record: number; after: number },
): Promise<Directory> {
  if (at.record !== at.after) throw damaged();
  const large = await readAt(file, at.record, fixed.zip64End);
  const found: Directory = {
    count: Number(large.readBigUInt64LE(32)),
    length: Number(large.readBigUInt64LE(40)),
    start: Number(large.readBigUInt64LE(48)),
  };
  const isSame = (one: number, wide: number, other: number): boolean => one === wide || one === other;
  if (
    large.readUInt32LE(0) !== signatures.zip64End ||
    !isSame(said.count, wide16, found.count) ||
    !isSame(said.length, wide32, found.length) ||
    !isSame(said.start, wide32, found.start) ||
    found.start + found.length !== at.after
  )
    throw damaged();
  return found;
}

type Place = Pick<ZipEntry, 'bytes' | 'storedBytes' | 'offset'>;

/** The zip64 extra field has, in this order, the fields that are all ones: size, stored size, offset. */
function placeOf(extra: Buffer, said: Place): Place {
  let at = 0;
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== 1) at += 4 + extra.readUInt16LE(at + 2);
  if (at + 4 > extra.length) return said;
  at += 4;
  const wider = (value: number): number => {
    if (value !== wide32) return value;
    if (at + 8 > extra.length) throw damaged();
    at += 8;
    return Number(extra.readBigUInt64LE(at - 8));
  };
  const bytes = wider(said.bytes);
  const storedBytes = wider(said.storedBytes);
  return { bytes, storedBytes, offset: wider(said.offset) };
}

async function* storedChunks(
  file: FileHandle,
  { name, offset, storedBytes }: ZipEntry,
): AsyncGenerator<Buffer> {
  const header = await readAt(file, offset, fixed.local);
  if (header.readUInt32LE(0) !== signatures.local)
    throw new WordedError(phrase('reasons.zip.header', { name }));
  const start = offset + fixed.local + header.readUInt16LE(26) + header.readUInt16LE(28);
  for (let done = 0; done < storedBytes; done += chunkBytes)
    yield await readAt(file, start + done, Math.min(chunkBytes, storedBytes - done));
}

async function inflated(stored: Buffer, { name, bytes }: ZipEntry): Promise<Buffer> {
  try {
    // Zero is no valid limit; the caller compares the length.
    return await promisify(inflateRaw)(stored, { maxOutputLength: Math.max(bytes, 1) });
  } catch (error) {
    throw new WordedError(phrase('reasons.zip.inflate', { name }), { cause: error });
  }
}

async function readAt(file: FileHandle, from: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(from + length) || from < 0 || length > maxRead)
    throw new WordedError(phrase('reasons.zip.damaged'));
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, from);
  if (bytesRead < length) throw new WordedError(phrase('reasons.zip.short'));
  return buffer;
}
