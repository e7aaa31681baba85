/**
 * Structured fuzzing for the tests `*.fuzz.test.ts`: a seeded generator, mutators of JSON trees and of lines of text,
 * and the loop over the cases. A case depends only on its number: `RINGLAB_FUZZ_CASE=<number>` repeats a failed one.
 * `RINGLAB_FUZZ_CASES` sets the number of cases.
 */
import { hostileNumbers, hostileTexts } from './hostile-values.ts';

export interface Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  fraction(): number;
  /** An integer from 0 to `limit` - 1; 0 where `limit` is not positive. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** Mulberry32: small, and the same on every machine. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => (limit > 0 ? Math.floor(fraction() * limit) : 0);
  return {
    fraction,
    below,
    chance: (probability) => fraction() < probability,
    pick(from) {
      const one = from[below(from.length)];
      if (one === undefined && from.length === 0) throw new RangeError('nothing to pick from');
      // The element may itself be undefined, where the list contains it.
      return one as (typeof from)[number];
    },
  };
}

/** This layer has no Node types; the tests run in Node. */
const environment: Readonly<Record<string, string | undefined>> =
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};

/** Number of cases of a test. */
export const fuzzCases = (fallback = 500): number => {
  const asked = Number(environment.RINGLAB_FUZZ_CASES);
  return Number.isInteger(asked) && asked > 0 ? asked : fallback;
};

/** The test's time-out in milliseconds: 10,000 cases take longer than 500. */
export const fuzzTimeout = (): number => Math.max(60_000, fuzzCases() * 60);

/**
 * Runs a case many times, each with its own generator. An error's message gets the case's number.
 * @param salt differs between tests, so that they do not try the same values
 */
export async function forEachCase(
  salt: string,
  run: (random: Random, number: number) => unknown,
  cases = fuzzCases(),
): Promise<void> {
  let base = 2_166_136_261;
  for (const character of salt) base = Math.imul(base ^ (character.codePointAt(0) ?? 0), 16_777_619);
  const only = environment.RINGLAB_FUZZ_CASE;
  const [first, end] = only === undefined ? [0, cases] : [Number(only), Number(only) + 1];
  for (let number = first; number < end; number += 1) {
    try {
      await run(seeded(base + Math.imul(number, 0x9e3779b1)), number);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      throw new Error(`RINGLAB_FUZZ_CASE=${number}: ${words}`, { cause: error });
    }
  }
}

/**
 * Fuzzes a parser with texts of all shapes.
 * @param read returns undefined for what it refuses
 * @param check is called with each parsed value
 * @throws where fewer than one text in twenty is accepted, or refused: the test would cover only one of the two
 */
export async function readsOrRefuses<T>(
  salt: string,
  shapes: readonly ((random: Random) => string)[],
  read: (text: string) => T | undefined,
  check: (value: T) => void,
): Promise<void> {
  let readable = 0;
  let refused = 0;
  await forEachCase(salt, (random) => {
    const value = read(random.pick(shapes)(random));
    if (value === undefined) refused += 1;
    else {
      readable += 1;
      check(value);
    }
  });
  if (Math.min(readable, refused) <= (readable + refused) / 20) {
    throw new Error(`${salt}: ${readable} were read and ${refused} refused`);
  }
}

/** Any JSON value, or what JavaScript's parsers (YAML) return. */
export type Tree = unknown;

/** Mostly short, sometimes long. */
export function anyText(random: Random): string {
  if (random.chance(0.5)) return random.pick(hostileTexts);
  const length = random.chance(0.02) ? random.below(30_000) : random.below(24);
  let text = '';
  for (let index = 0; index < length; index += 1)
    text += String.fromCharCode(random.chance(0.8) ? 32 + random.below(95) : random.below(0x300));
  return text;
}

const anyNumber = (random: Random): number =>
  random.chance(0.6) ? random.pick(hostileNumbers) : (random.fraction() - 0.5) * 10 ** random.below(25);

/** A random value of any kind, randomly nested. */
export function anyTree(random: Random, depth = 3): Tree {
  const kind = random.below(depth > 0 ? 8 : 5);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return anyNumber(random);
  if (kind <= 4) return anyText(random);
  if (kind === 5) return Array.from({ length: random.below(6) }, () => anyTree(random, depth - 1));
  if (kind === 6) return deep(random.below(2000), random.chance(0.5));
  return objectOf(
    Array.from({ length: random.below(6) }, () => [anyText(random), anyTree(random, depth - 1)]),
  );
}

/** Nested to the given depth, which overflows a recursive reader. */
export function deep(levels: number, lists: boolean): Tree {
  let tree: Tree = 1;
  for (let level = 0; level < levels; level += 1) tree = lists ? [tree] : { a: tree };
  return tree;
}

/** As JSON.parse does: `__proto__` is an ordinary key. */
function objectOf(entries: readonly (readonly [string, Tree])[]): Record<string, Tree> {
  const made: Record<string, Tree> = {};
  for (const [key, value] of entries)
    Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true });
  return made;
}

const isRecord = (tree: Tree): tree is Readonly<Record<string, Tree>> =>
  typeof tree === 'object' && tree !== null && !Array.isArray(tree);

const childrenOf = (tree: Tree): readonly Tree[] =>
  Array.isArray(tree) ? (tree as Tree[]) : isRecord(tree) ? Object.values(tree) : [];

/** Number of nodes of a tree, its root included. */
function places(tree: Tree): number {
  let count = 0;
  const open: Tree[] = [tree];
  while (open.length > 0) {
    open.push(...childrenOf(open.pop()));
    count += 1;
  }
  return count;
}

/** A copy of a list or record with its child of this index exchanged. */
function withChild(tree: Tree, index: number, child: Tree): Tree {
  if (Array.isArray(tree)) return (tree as Tree[]).with(index, child);
  if (!isRecord(tree)) return tree;
  return objectOf(Object.entries(tree).map(([key, value], at) => [key, at === index ? child : value]));
}

/** A node of a tree, with its parent and its index among the parent's children. */
interface Place {
  readonly tree: Tree;
  readonly parent: Place | undefined;
  readonly index: number;
}

/** A copy of the tree with the node of this index (in reading order) changed. Without recursion: trees may be deep. */
function changeAt(tree: Tree, at: number, change: (one: Tree) => Tree): Tree {
  const open: Place[] = [{ tree, parent: undefined, index: 0 }];
  let place: Place | undefined;
  for (let left = at; left >= 0; left -= 1) {
    const parent = open.pop();
    if (parent === undefined) return tree;
    place = parent;
    open.push(
      ...childrenOf(parent.tree)
        .map((child, index) => ({ tree: child, parent, index }))
        .reverse(),
    );
  }
  if (place === undefined) return tree;
  let changed = change(place.tree);
  for (; place.parent !== undefined; place = place.parent)
    changed = withChild(place.parent.tree, place.index, changed);
  return changed;
}

function mutateOne(one: Tree, random: Random): Tree {
  if (Array.isArray(one) && random.chance(0.7)) {
    const list = [...(one as Tree[])];
    const at = random.below(list.length + 1);
    switch (random.below(5)) {
      case 0:
        list.splice(at, 1);
        break;
      case 1:
        list.splice(at, 0, anyTree(random, 2));
        break;
      case 2:
        if (list.length > 0) list.splice(at, 0, random.pick(list));
        break;
      case 3:
        list.reverse();
        break;
      default:
        if (list.length > 0) return Array.from({ length: random.below(50) }, () => random.pick(list));
    }
    return list;
  }
  if (isRecord(one) && random.chance(0.7)) {
    const entries = Object.entries(one);
    const at = random.below(entries.length);
    const [key, value] = entries[at] ?? ['', undefined];
    switch (random.below(4)) {
      case 0:
        entries.splice(at, 1);
        break;
      case 1:
        entries.push([anyText(random), anyTree(random, 2)]);
        break;
      case 2:
        entries[at] = [anyText(random), value];
        break;
      default:
        entries[at] = [key, random.pick(entries.length > 0 ? entries : [[key, value] as const])[1]];
    }
    return objectOf(entries);
  }
  if (typeof one === 'string' && random.chance(0.6)) return mutateText(one, random);
  if (typeof one === 'number' && random.chance(0.6)) return anyNumber(random);
  return anyTree(random);
}

/** A valid tree with a few random mutations: keys removed, added, renamed or exchanged, types changed, hostile values. */
export function mutateTree(tree: Tree, random: Random, changes = 1 + random.below(3)): Tree {
  let mutated = tree;
  for (let change = 0; change < changes; change += 1)
    mutated = changeAt(mutated, random.below(places(mutated)), (one) => mutateOne(one, random));
  return mutated;
}

/**
 * A valid text with a few random mutations: lines removed, doubled, exchanged or torn, tokens of the format or
 * hostile values inserted, control characters, other line ends, the end cut off.
 * @param words tokens of the format: keywords, separators, brackets
 */
export function mutateText(
  text: string,
  random: Random,
  words: readonly string[] = [],
  changes = 1 + random.below(4),
): string {
  let mutated = text;
  for (let change = 0; change < changes; change += 1) {
    const at = random.below(mutated.length + 1);
    const length = random.below(Math.min(40, mutated.length - at + 1));
    const lines = mutated.split('\n');
    const line = random.below(lines.length);
    switch (random.below(10)) {
      case 0:
        lines.splice(line, 1);
        mutated = lines.join('\n');
        break;
      case 1:
        lines.splice(line, 0, random.pick(lines));
        mutated = lines.join('\n');
        break;
      case 2:
        lines[line] = mutateLine(lines[line] ?? '', random);
        mutated = lines.join('\n');
        break;
      case 3:
        mutated = mutated.slice(0, at);
        break;
      case 4:
        mutated = mutated.slice(0, at) + mutated.slice(at + length);
        break;
      case 5:
        mutated =
          mutated.slice(0, at) + mutated.slice(at, at + length).repeat(random.below(20)) + mutated.slice(at);
        break;
      case 6:
        mutated =
          mutated.slice(0, at) +
          random.pick(['\r', '\0', '\u001B[2J', '\t', '\uFEFF', '\u0007']) +
          mutated.slice(at);
        break;
      case 7:
        mutated = mutated.replaceAll('\n', random.pick(['\r\n', '\r', '\u2028']));
        break;
      default:
        mutated =
          mutated.slice(0, at) +
          (words.length > 0 && random.chance(0.7) ? random.pick(words) : anyText(random)) +
          mutated.slice(at + length);
    }
  }
  return mutated;
}

function mutateLine(line: string, random: Random): string {
  const words = line.split(/(\s+)/);
  const at = random.below(words.length);
  words[at] = random.chance(0.5) ? anyText(random) : random.pick(words);
  return words.join('');
}
