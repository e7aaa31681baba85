/**
 * Verifies a checkpoint: the zip opens, every entry matches its stored checksum, the pickle is one of `torch.save`,
 * and every tensor's storage exists with the size of its shape. Done on this computer, not by the node's trainer:
 * `torch.load` runs what a pickle calls, and a hostile node could vouch for its own file.
 */
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { VerifiedCheckpoint } from '../../../shared/run/checkpoint.ts';
import { isCall, isPersistent, readPickle, type Pickled } from './pickle.ts';

interface Entry {
  readonly name: string;
  readonly crc: number;
  readonly bytes: number;
  /** Offset of its local header in the file. */
  readonly offset: number;
}

const chunkBytes = 4 * 1024 * 1024;
const longestRead = 32 * 1024 * 1024;
/** Maximum size of the pickle, which contains only names and shapes. */
const maxPickle = 16 * 1024 * 1024;
/** Maximum number of zip entries: one for each tensor, and a few more. */
const maxEntries = 100_000;
const maxDirectory = 32 * 1024 * 1024;
/** Maximum number of dimensions of a tensor, and of wrappers: a parameter wraps a tensor. */
const maxEdges = 16;
const deepestWrapper = 2;

/** Bytes of each number, by torch's storage classes. */
const widths: Readonly<Record<string, number>> = {
  FloatStorage: 4,
  DoubleStorage: 8,
  HalfStorage: 2,
  BFloat16Storage: 2,
  LongStorage: 8,
  IntStorage: 4,
  ShortStorage: 2,
  ByteStorage: 1,
  CharStorage: 1,
  BoolStorage: 1,
};

/** Reads the directory, and the one pickle that `torch.load` would read, which must contain plain data. */
async function readPlain(file: FileHandle): Promise<{ size: number; entries: Entry[]; root: Pickled }> {
  const { size } = await file.stat();
  // Python treats a file with another beginning as a pickle, even if it ends like a zip.
  if ((await read(file, 0, 4)).readUInt32LE(0) !== 0x04034b50)
    throw new Error('it is no zip: it does not begin as one');
  const entries = await readDirectory(file, size);
  const [first] = entries;
  const folder = first?.name.split('/')[0];
  const pickles = entries.filter(({ name }) => name.endsWith('.pkl'));
  const [pickle] = pickles;
  if (pickle === undefined || pickle.name !== `${folder}/data.pkl` || pickle.bytes > maxPickle)
    throw new Error('it holds no data.pkl');
  if (pickles.length > 1) throw new Error(`it holds ${pickles.length} pickles`);
  const root = readPickle(await read(file, await contentOf(file, pickle), pickle.bytes));
  return { size, entries, root };
}

/**
 * Checks that Python may safely open a file that came from a node, since `torch.load` runs what its pickle calls.
 * Reads only the directory and the pickle. Rejects with `checkpoint_refused`.
 * @param where the node's name
 */
export async function mustBePlainData(path: string, artifact: string, where: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await readPlain(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RinglabError('checkpoint_refused', { artifact, reason }, { where, cause: error });
  } finally {
    await file.close();
  }
}

/** Rejects with `file_unreadable` and the reason where the file is invalid. */
export async function verifyCheckpoint(path: string, signal?: AbortSignal): Promise<VerifiedCheckpoint> {
  const file = await open(path, 'r');
  try {
    const { size, entries, root } = await readPlain(file);
    for (const entry of entries) {
      signal?.throwIfAborted();
      await checkEntry(file, entry);
    }
    const sizes = new Map(
      entries.map(({ name, bytes }) => [/\/data\/([^/]+)$/.exec(name)?.[1] ?? '', bytes]),
    );
    return {
      bytes: size,
      sha256: await hashOf(file, size),
      entries: entries.length,
      ...describe(root, sizes),
    };
  } catch (error) {
    signal?.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new RinglabError('file_unreadable', { path, reason }, { cause: error });
  } finally {
    await file.close();
  }
}

async function read(file: FileHandle, from: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(from + length) || from < 0 || length > longestRead)
    throw new Error('it is damaged');
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, from);
  if (bytesRead < length) throw new Error('it ends too early');
  return buffer;
}

/** Reads the zip's central directory, with zip64 fields. */
async function readDirectory(file: FileHandle, size: number): Promise<Entry[]> {
  const tailLength = Math.min(size, 65_557);
  const tail = await read(file, size - tailLength, tailLength);
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0) throw new Error('it is no zip, or its end is missing');
  let count = tail.readUInt16LE(end + 10);
  let length = tail.readUInt32LE(end + 12);
  let start = tail.readUInt32LE(end + 16);
  if (count === 0xffff || length === 0xffffffff || start === 0xffffffff) {
    const locator = end - 20;
    if (locator < 0 || tail.readUInt32LE(locator) !== 0x07064b50) throw new Error('its zip64 end is missing');
    const large = await read(file, Number(tail.readBigUInt64LE(locator + 8)), 56);
    count = Number(large.readBigUInt64LE(32));
    length = Number(large.readBigUInt64LE(40));
    start = Number(large.readBigUInt64LE(48));
  }
  if (count > maxEntries || length > maxDirectory || start + length > size)
    throw new Error('its directory is damaged');
  const directory = await read(file, start, length);
  const entries: Entry[] = [];
  let at = 0;
  for (let i = 0; i < count; i += 1) {
    if (directory.readUInt32LE(at) !== 0x02014b50) throw new Error('its directory is damaged');
    if (directory.readUInt16LE(at + 10) !== 0)
      throw new Error('it is compressed, which torch.save does not do');
    const nameLength = directory.readUInt16LE(at + 28);
    const extraLength = directory.readUInt16LE(at + 30);
    const commentLength = directory.readUInt16LE(at + 32);
    const name = directory.toString('utf8', at + 46, at + 46 + nameLength);
    const extra = directory.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
    entries.push({
      name,
      crc: directory.readUInt32LE(at + 16),
      ...large(extra, directory.readUInt32LE(at + 24), directory.readUInt32LE(at + 42)),
    });
    at += 46 + nameLength + extraLength + commentLength;
  }
  // Overlapping entries would each be read: limits the total.
  if (entries.reduce((sum, { bytes }) => sum + bytes, 0) > size) throw new Error('its entries overlap');
  return entries;
}

/** The zip64 extra field holds, in this order, the fields that are all ones: size, stored size, offset. */
function large(extra: Buffer, bytes: number, offset: number): { bytes: number; offset: number } {
  let at = 0;
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== 1) at += 4 + extra.readUInt16LE(at + 2);
  if (at + 4 > extra.length) return { bytes, offset };
  at += 4;
  const next = (): number => {
    at += 8;
    return Number(extra.readBigUInt64LE(at - 8));
  };
  const wide = bytes === 0xffffffff;
  const size = wide ? next() : bytes;
  if (wide) at += 8;
  return { bytes: size, offset: offset === 0xffffffff ? next() : offset };
}

async function contentOf(file: FileHandle, { name, offset }: Entry): Promise<number> {
  const header = await read(file, offset, 30);
  if (header.readUInt32LE(0) !== 0x04034b50) throw new Error(`${name}: its header is damaged`);
  return offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
}

async function checkEntry(file: FileHandle, entry: Entry): Promise<void> {
  const start = await contentOf(file, entry);
  let crc = 0;
  for (let done = 0; done < entry.bytes; done += chunkBytes)
    crc = crc32(await read(file, start + done, Math.min(chunkBytes, entry.bytes - done)), crc);
  if (crc !== entry.crc) throw new Error(`${entry.name}: its checksum is wrong`);
}

async function hashOf(file: FileHandle, size: number): Promise<string> {
  const hash = createHash('sha256');
  for (let done = 0; done < size; done += chunkBytes)
    hash.update(await read(file, done, Math.min(chunkBytes, size - done)));
  return hash.digest('hex');
}

/** Buffers: stored with the parameters, but not trained. */
const isBuffer = (name: string): boolean =>
  /(^|\.)(running_mean|running_var|num_batches_tracked)$/.test(name);

function describe(
  root: Pickled,
  sizes: ReadonlyMap<string, number>,
): Pick<VerifiedCheckpoint, 'tensors' | 'parameters' | 'epoch' | 'architecture' | 'bestTop1'> {
  if (!(root instanceof Map)) throw new Error('it holds no dictionary');
  const state = root.get('state_dict') ?? null;
  const tensors = state instanceof Map ? state : isCall(state) ? state.items : undefined;
  if (tensors === undefined) throw new Error('it holds no state_dict');
  let parameters = 0;
  for (const [name, tensor] of tensors) {
    if (typeof name !== 'string')
      throw new Error('its state_dict names a tensor by something else than text');
    const numbers = checkTensor(name, tensor, sizes);
    if (!isBuffer(name)) parameters += numbers;
  }
  const number = (value: Pickled | undefined): number | undefined => {
    if (typeof value === 'bigint') return Number(value);
    return typeof value === 'number' ? value : undefined;
  };
  const architecture = root.get('arch');
  const epoch = number(root.get('epoch'));
  // main.py's best_acc1 is a tensor, as ours; ours also has it as a number.
  const bestTop1 = number(root.get('best_top1')) ?? number(root.get('best_acc1'));
  return {
    tensors: tensors.size,
    parameters,
    ...(epoch === undefined ? {} : { epoch }),
    ...(typeof architecture === 'string' ? { architecture } : {}),
    ...(bestTop1 === undefined ? {} : { bestTop1 }),
  };
}

/** @returns its number of elements */
function checkTensor(name: string, tensor: Pickled, sizes: ReadonlyMap<string, number>, depth = 0): number {
  const args = isCall(tensor) && tensor.call.startsWith('torch._utils._rebuild') ? tensor.args : undefined;
  const inner = args?.[0] ?? null;
  // A parameter wraps a tensor.
  if (isCall(inner) && depth < deepestWrapper) return checkTensor(name, inner, sizes, depth + 1);
  const [, offset, shape] = args ?? [];
  if (!isPersistent(inner) || !Array.isArray(inner.persistent) || !Array.isArray(shape))
    throw new Error(`${name} is no tensor`);
  const [, storage, key] = inner.persistent;
  const kind = typeof storage === 'object' && storage !== null && 'global' in storage ? storage.global : '';
  const width = widths[kind.replace(/^torch\./, '')];
  if (width === undefined) throw new Error(`${name} is of the unknown kind ${kind}`);
  if (shape.length > maxEdges) throw new Error(`${name} has ${shape.length} edges`);
  const numbers = shape.map(wholeNumber).reduce((product, edge) => product * edge, 1);
  const first = wholeNumber(offset ?? null);
  const there = typeof key === 'string' ? sizes.get(key) : undefined;
  if (there === undefined) throw new Error(`${name}: its numbers are missing`);
  if (!((first + numbers) * width <= there)) {
    const what = Number.isFinite(first + numbers) ? `${numbers} numbers` : 'its shape and position';
    throw new Error(`${name}: ${what} do not fit into its ${there} bytes`);
  }
  return numbers;
}

/** NaN where it is not a valid size, so that every comparison fails. */
function wholeNumber(value: Pickled): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : NaN;
}
