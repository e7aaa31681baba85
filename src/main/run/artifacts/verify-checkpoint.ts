/**
 * Verifies a checkpoint: the zip opens, every entry matches its stored checksum, the pickle is one of `torch.save`,
 * and every tensor's storage exists with the size of its shape. Done on this computer, not by the node's trainer:
 * `torch.load` runs what a pickle calls, and a hostile node could vouch for its own file.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { RinglabError } from '../../../shared/base/errors.ts';
import { reasonOf, WordedError } from '../../base/reason.ts';
import { phrase } from '../../i18n/index.ts';
import type { VerifiedCheckpoint } from '../../../shared/run/checkpoint.ts';
import {
  beginsAsZip,
  checkStoredEntry,
  readZipEntries,
  readZipEntry,
  type ZipEntry,
} from '../../base/zip.ts';
import { hashFile } from '../../transfer/index.ts';
import { isCall, isPersistent, readPickle, type Pickled } from './pickle.ts';

/** Maximum size of the pickle, which contains only names and shapes. */
const maxPickle = 16 * 1024 * 1024;
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

/** In a name: PyTorch takes NUL for its end, and different bytes that are no UTF-8 are one character here. */
const unclear = /[\p{Cc}\uFFFD]/u;

/** Refuses entries that PyTorch finds by other names, or reads otherwise, than is checked here. */
function mustBeClear(entries: readonly ZipEntry[]): void {
  const names = new Set<string>();
  for (const { name, isFolder } of entries) {
    if (unclear.test(name)) throw new WordedError(phrase('reasons.checkpoint.oddEntry'));
    // PyTorch finds entries without regard to case.
    const found = name.toLowerCase();
    if (names.has(found)) throw new WordedError(phrase('reasons.checkpoint.twice', { name }));
    names.add(found);
    // PyTorch reads nothing into the memory of such an entry, and takes what was there before.
    if (isFolder) throw new WordedError(phrase('reasons.checkpoint.folder', { name }));
  }
}

/** Reads the directory, and the one pickle that `torch.load` would read, which must contain plain data. */
async function readPlain(file: FileHandle): Promise<{ entries: ZipEntry[]; root: Pickled }> {
  // Python treats a file with another beginning as a pickle, even if it ends like a zip.
  if (!(await beginsAsZip(file))) throw new WordedError(phrase('reasons.checkpoint.noBeginning'));
  const entries = await readZipEntries(file);
  if (entries.some(({ isCompressed }) => isCompressed))
    throw new WordedError(phrase('reasons.checkpoint.compressed'));
  mustBeClear(entries);
  const [first] = entries;
  const folder = first?.name.split('/')[0];
  const pickles = entries.filter(({ name }) => name.toLowerCase().endsWith('.pkl'));
  const [pickle] = pickles;
  if (pickle === undefined || pickle.name !== `${folder}/data.pkl` || pickle.bytes > maxPickle)
    throw new WordedError(phrase('reasons.checkpoint.noPickle'));
  if (pickles.length > 1)
    throw new WordedError(phrase('reasons.checkpoint.pickles', { count: pickles.length }));
  return { entries, root: readPickle(await readZipEntry(file, pickle, maxPickle)) };
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
    throw new RinglabError(
      'checkpoint_refused',
      { artifact, reason: reasonOf(error) },
      { where, cause: error },
    );
  } finally {
    await file.close();
  }
}

/** Rejects with `file_unreadable` and the reason where the file is invalid. */
export async function verifyCheckpoint(path: string, signal?: AbortSignal): Promise<VerifiedCheckpoint> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const { entries, root } = await readPlain(file);
    for (const entry of entries) {
      signal?.throwIfAborted();
      await checkStoredEntry(file, entry);
    }
    const sizes = new Map(
      entries.map(({ name, bytes }) => [/\/data\/([^/]+)$/.exec(name)?.[1] ?? '', bytes]),
    );
    return {
      bytes: size,
      sha256: await hashFile(path, signal),
      entries: entries.length,
      ...describe(root, sizes),
    };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof RinglabError) throw error;
    throw new RinglabError('file_unreadable', { path, reason: reasonOf(error) }, { cause: error });
  } finally {
    await file.close();
  }
}

/** Buffers: stored with the parameters, but not trained. */
const isBuffer = (name: string): boolean =>
  /(^|\.)(running_mean|running_var|num_batches_tracked)$/.test(name);

function describe(
  root: Pickled,
  sizes: ReadonlyMap<string, number>,
): Pick<VerifiedCheckpoint, 'tensors' | 'parameters' | 'epoch' | 'architecture' | 'bestTop1'> {
  if (!(root instanceof Map)) throw new WordedError(phrase('reasons.checkpoint.noDictionary'));
  const state = root.get('state_dict') ?? null;
  const tensors = state instanceof Map ? state : isCall(state) ? state.items : undefined;
  if (tensors === undefined) throw new WordedError(phrase('reasons.checkpoint.noState'));
  let parameters = 0;
  for (const [name, tensor] of tensors) {
    if (typeof name !== 'string') throw new WordedError(phrase('reasons.checkpoint.oddName'));
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
    throw new WordedError(phrase('reasons.checkpoint.noTensor', { name }));
  const [, storage, key] = inner.persistent;
  const kind = typeof storage === 'object' && storage !== null && 'global' in storage ? storage.global : '';
  const width = widths[kind.replace(/^torch\./, '')];
  if (width === undefined) throw new WordedError(phrase('reasons.checkpoint.kind', { name, kind }));
  if (shape.length > maxEdges)
    throw new WordedError(phrase('reasons.checkpoint.dimensions', { name, count: shape.length }));
  const numbers = shape.map(wholeNumber).reduce((product, edge) => product * edge, 1);
  const first = wholeNumber(offset ?? null);
  const there = typeof key === 'string' ? sizes.get(key) : undefined;
  if (there === undefined) throw new WordedError(phrase('reasons.checkpoint.noStorage', { name }));
  if (!((first + numbers) * width <= there)) {
    const count = Number.isFinite(first + numbers) ? numbers : '?';
    throw new WordedError(phrase('reasons.checkpoint.storage', { name, count, bytes: there }));
  }
  return numbers;
}

/** NaN where it is not a valid size, so that every comparison fails. */
function wholeNumber(value: Pickled): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : NaN;
}
