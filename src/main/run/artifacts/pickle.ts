/**
 * Parses the pickles of `torch.save` as data, without calling anything. A call becomes a record of the function and
 * its arguments, a tensor its shape and storage. All other pickles are refused, and so is every function that our
 * checkpoints do not need, because Python's `torch.load` would call it.
 */
import { asOneLine } from '../../../shared/base/plain-text.ts';
import { phrase } from '../../i18n/index.ts';
import { WordedError } from '../../base/reason.ts';

export type Pickled =
  | null
  | boolean
  | number
  | bigint
  | string
  | Pickled[]
  | Map<Pickled, Pickled>
  | { readonly global: string }
  | { readonly call: string; readonly args: readonly Pickled[]; readonly items: Map<Pickled, Pickled> }
  | { readonly persistent: Pickled };

/** Maximum number of opcodes. The checkpoint of a thousand tensors with two moments each has 140,000. */
const maxSteps = 1_000_000;
/** Maximum number of dictionaries and calls: each takes some hundred bytes of memory for one byte of input. */
const maxTables = 50_000;
const maxLists = 300_000;

/** Allowed functions, which create plain data. */
const callable: ReadonlySet<string> = new Set([
  'collections.OrderedDict',
  'torch._utils._rebuild_parameter',
  'torch._utils._rebuild_tensor',
  'torch._utils._rebuild_tensor_v2',
]);
/** Names that are not called: storage types. */
const storage = /^torch\.[A-Z][A-Za-z0-9]{2,20}Storage$/;

const mark = Symbol('mark');
type Cell = Pickled | typeof mark;

const opcodes = {
  PROTO: 0x80,
  STOP: 0x2e,
  MARK: 0x28,
  NONE: 0x4e,
  NEWTRUE: 0x88,
  NEWFALSE: 0x89,
  BININT: 0x4a,
  BININT1: 0x4b,
  BININT2: 0x4d,
  LONG1: 0x8a,
  BINFLOAT: 0x47,
  BINUNICODE: 0x58,
  SHORT_BINUNICODE: 0x8c,
  EMPTY_DICT: 0x7d,
  EMPTY_LIST: 0x5d,
  EMPTY_TUPLE: 0x29,
  TUPLE: 0x74,
  TUPLE1: 0x85,
  TUPLE2: 0x86,
  TUPLE3: 0x87,
  APPEND: 0x61,
  APPENDS: 0x65,
  SETITEM: 0x73,
  SETITEMS: 0x75,
  GLOBAL: 0x63,
  REDUCE: 0x52,
  BUILD: 0x62,
  BINPERSID: 0x51,
  BINPUT: 0x71,
  LONG_BINPUT: 0x72,
  BINGET: 0x68,
  LONG_BINGET: 0x6a,
} as const;

/** Throws with the reason where the bytes are not such a pickle. */
export function readPickle(bytes: Uint8Array): Pickled {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = new TextDecoder('utf-8', { fatal: true });
  const stack: Cell[] = [];
  const memo = new Map<number, Cell>();
  let at = 0;
  /** Importing is already refused; where the function is also called, the error names the call. */
  let unwanted: string | undefined;
  const left = { steps: maxSteps, tables: maxTables, lists: maxLists };
  const spend = (what: keyof typeof left): void => {
    left[what] -= 1;
    if (left[what] < 0) throw new WordedError(phrase('reasons.pickle.large'));
  };

  const take = (count: number): number => {
    if (at + count > bytes.length) throw new WordedError(phrase('reasons.pickle.short'));
    at += count;
    return at - count;
  };
  const pop = (): Pickled => {
    const top = stack.pop();
    if (top === undefined || top === mark) throw new WordedError(phrase('reasons.pickle.stack'));
    return top;
  };
  const popMarked = (): Pickled[] => {
    const from = stack.lastIndexOf(mark);
    if (from < 0) throw new WordedError(phrase('reasons.pickle.noMark'));
    const taken = stack.splice(from);
    return taken.slice(1).map((cell) => {
      if (cell === mark) throw new WordedError(phrase('reasons.pickle.marks'));
      return cell;
    });
  };
  const top = (): Pickled => {
    const value = pop();
    stack.push(value);
    return value;
  };
  const line = (): string => {
    const end = bytes.indexOf(10, at);
    if (end < 0) throw new WordedError(phrase('reasons.pickle.short'));
    const decoded = text.decode(bytes.subarray(at, end));
    at = end + 1;
    return decoded;
  };
  const set = (pairs: readonly Pickled[]): void => {
    const target = top();
    const into = target instanceof Map ? target : isCall(target) ? target.items : undefined;
    if (into === undefined) throw new WordedError(phrase('reasons.pickle.items'));
    for (let i = 0; i + 1 < pairs.length; i += 2) into.set(pairs[i] ?? null, pairs[i + 1] ?? null);
  };
  const append = (values: readonly Pickled[]): void => {
    const target = top();
    if (!Array.isArray(target)) throw new WordedError(phrase('reasons.pickle.list'));
    for (const value of values) target.push(value);
  };

  for (;;) {
    spend('steps');
    const code = view.getUint8(take(1));
    switch (code) {
      case opcodes.PROTO:
        take(1);
        break;
      case opcodes.STOP:
        if (unwanted !== undefined)
          throw new WordedError(phrase('reasons.pickle.names', { name: shown(unwanted) }));
        return pop();
      case opcodes.MARK:
        stack.push(mark);
        break;
      case opcodes.NONE:
        stack.push(null);
        break;
      case opcodes.NEWTRUE:
      case opcodes.NEWFALSE:
        stack.push(code === opcodes.NEWTRUE);
        break;
      case opcodes.BININT:
        stack.push(view.getInt32(take(4), true));
        break;
      case opcodes.BININT1:
        stack.push(view.getUint8(take(1)));
        break;
      case opcodes.BININT2:
        stack.push(view.getUint16(take(2), true));
        break;
      case opcodes.LONG1: {
        const length = view.getUint8(take(1));
        const from = take(length);
        const digits = Buffer.from(bytes.subarray(from, from + length))
          .reverse()
          .toString('hex');
        const value = length === 0 ? 0n : BigInt(`0x${digits}`);
        const negative = length > 0 && (bytes[from + length - 1] ?? 0) >= 128;
        stack.push(negative ? value - (1n << BigInt(8 * length)) : value);
        break;
      }
      case opcodes.BINFLOAT:
        stack.push(view.getFloat64(take(8), false));
        break;
      case opcodes.BINUNICODE:
      case opcodes.SHORT_BINUNICODE: {
        const length = code === opcodes.BINUNICODE ? view.getUint32(take(4), true) : view.getUint8(take(1));
        const from = take(length);
        stack.push(text.decode(bytes.subarray(from, from + length)));
        break;
      }
      case opcodes.EMPTY_DICT:
        spend('tables');
        stack.push(new Map());
        break;
      case opcodes.EMPTY_LIST:
      case opcodes.EMPTY_TUPLE:
        spend('lists');
        stack.push([]);
        break;
      case opcodes.TUPLE:
        spend('lists');
        stack.push(popMarked());
        break;
      case opcodes.TUPLE1:
      case opcodes.TUPLE2:
      case opcodes.TUPLE3: {
        spend('lists');
        const values: Pickled[] = [];
        for (let i = code - opcodes.TUPLE1; i >= 0; i -= 1) values.unshift(pop());
        stack.push(values);
        break;
      }
      case opcodes.APPEND:
        append([pop()]);
        break;
      case opcodes.APPENDS:
        append(popMarked());
        break;
      case opcodes.SETITEM: {
        const value = pop();
        set([pop(), value]);
        break;
      }
      case opcodes.SETITEMS:
        set(popMarked());
        break;
      case opcodes.GLOBAL: {
        const module = line();
        const global = `${module}.${line()}`;
        if (!callable.has(global) && !storage.test(global)) unwanted = global;
        stack.push({ global });
        break;
      }
      case opcodes.REDUCE: {
        spend('tables');
        const args = pop();
        const called = pop();
        if (!isGlobal(called) || !Array.isArray(args))
          throw new WordedError(phrase('reasons.pickle.noFunction'));
        if (!callable.has(called.global))
          throw new WordedError(phrase('reasons.pickle.calls', { name: shown(called.global) }));
        stack.push({ call: called.global, args, items: new Map() });
        break;
      }
      case opcodes.BUILD:
        // The state of an object that is not created: an OrderedDict's `_metadata`.
        pop();
        if (!isCall(top())) throw new WordedError(phrase('reasons.pickle.attributes'));
        break;
      case opcodes.BINPERSID:
        stack.push({ persistent: pop() });
        break;
      case opcodes.BINPUT:
        memo.set(view.getUint8(take(1)), top());
        break;
      case opcodes.LONG_BINPUT:
        memo.set(view.getUint32(take(4), true), top());
        break;
      case opcodes.BINGET:
      case opcodes.LONG_BINGET: {
        const key = code === opcodes.BINGET ? view.getUint8(take(1)) : view.getUint32(take(4), true);
        const kept = memo.get(key);
        if (kept === undefined) throw new WordedError(phrase('reasons.pickle.memo'));
        stack.push(kept);
        break;
      }
      default:
        throw new WordedError(phrase('reasons.pickle.opcode', { code: `0x${code.toString(16)}` }));
    }
  }
}

const shown = (name: string): string => asOneLine(name).slice(0, 80);

const isGlobal = (value: Pickled): value is { readonly global: string } =>
  typeof value === 'object' && value !== null && 'global' in value;
export const isCall = (
  value: Pickled,
): value is {
  readonly call: string;
  readonly args: readonly Pickled[];
  readonly items: Map<Pickled, Pickled>;
} => typeof value === 'object' && value !== null && 'call' in value;
export const isPersistent = (value: Pickled): value is { readonly persistent: Pickled } =>
  typeof value === 'object' && value !== null && 'persistent' in value;
