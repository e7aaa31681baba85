/** The package indexes that an experiment's own files name: in place of PyPI, as `--index-url` does, or beside it. */
import { pythonIndexes } from '../../../../shared/lab/runtime.ts';
import { registriesOf } from './lock-file.ts';

/** In which order uv takes what several indexes have; without one, the first index that knows a name counts alone. */
export type IndexStrategy = 'unsafe-best-match' | 'unsafe-first-match';

interface NamedIndexes {
  /** In place of PyPI and its mirrors. */
  readonly own?: {
    readonly address: string;
    /** Whether uv finds it in `requirements.txt`, where it may hold variables of the node. */
    readonly isInFile: boolean;
  };
  /** Of `requirements.txt`, where uv finds them. */
  readonly beside: readonly string[];
  /** Of `uv.lock`, which its export does not name. */
  readonly locked: readonly string[];
  readonly strategy?: IndexStrategy;
}

/** An option of `requirements.txt`: `-i ADDRESS`, `--index-url=ADDRESS`. */
const ownOption = /^\s*(?:-i\s*|--index-url(?:\s*=\s*|\s+))(\S+)/;
const besideOption = /^\s*--extra-index-url(?:\s*=\s*|\s+)(\S+)/;

/** Whether a line names an index in place of PyPI. */
export const namesOwnIndex = (line: string): boolean => ownOption.test(line);

/** The option and its address, where a line is one that names an index. */
export function indexLine(line: string): string | undefined {
  const own = ownOption.exec(line)?.[1];
  if (own !== undefined) return `--index-url ${bare(own)}`;
  const beside = besideOption.exec(line)?.[1];
  return beside === undefined ? undefined : `--extra-index-url ${bare(beside)}`;
}

const bare = (address: string): string => address.replace(/\/+$/, '');
const placeOf = (address: string): string => bare(address).replace(/^https?:\/\//, '');
const publicPlaces = new Set(pythonIndexes.map(placeOf));
/** PyPI or a known mirror of it: all of them have the same files. */
const isPublic = (address: string): boolean => publicPlaces.has(placeOf(address));
/** PyTorch's own indexes, which also hold a few old versions of other packages. */
const isOfPytorch = (address: string): boolean =>
  /\/(?:cu\d{2,3}|cpu|xpu|rocm[\d.]+)$/.test(placeOf(address));

function ofLock(lock: string): NamedIndexes {
  const { addresses, hasTorch } = registriesOf(lock);
  const others = addresses.filter((address) => !isPublic(address));
  const [first, ...rest] = others;
  // Versions and hashes are pinned, whichever index has them.
  const strategy = 'unsafe-best-match';
  if (first === undefined) return { beside: [], locked: [] };
  // A name that was locked from other indexes alone is asked of no public one.
  if (hasTorch && others.length === addresses.length)
    return { own: { address: first, isInFile: false }, beside: [], locked: rest, strategy };
  return { beside: [], locked: others, strategy };
}

/** @param files of an environment, `packages.txt` with its PyTorch among them */
export function namedIndexes(files: Readonly<Record<string, string>>): NamedIndexes {
  const lock = files['uv.lock'];
  if (lock !== undefined) return ofLock(lock);
  const lines = (files['requirements.txt'] ?? '').split('\n');
  const named = (option: RegExp): string[] =>
    lines.flatMap((line) => option.exec(line)?.[1] ?? []).map((address) => bare(address));
  const own = named(ownOption).at(-1);
  const beside = [...new Set(named(besideOption))].filter((address) => !isPublic(address));
  // Of what PyTorch's indexes hold of others' packages, newer versions are on PyPI. A PyTorch that is not named exactly
  // comes from them, whatever PyPI has: its build is for another CUDA. Of other indexes each name counts alone, or
  // somebody else's package of that name on PyPI could be taken.
  const isExact = files['packages.txt']?.startsWith('torch==') === true;
  const strategy = isExact ? 'unsafe-best-match' : 'unsafe-first-match';
  return {
    ...(own === undefined || isPublic(own) ? {} : { own: { address: own, isInFile: true } }),
    beside,
    locked: [],
    ...(beside.length > 0 && beside.every(isOfPytorch) ? { strategy } : {}),
  };
}
