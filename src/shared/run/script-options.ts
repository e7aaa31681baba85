/** The options among an own script's arguments, `--lr 0.1` or `--lr=0.1`, so that runs can be compared by each. Pure. */
import { splitArguments } from '../lab/script-arguments.ts';
import type { Script } from '../lab/script.ts';

/** As the script is given it, with its dashes. */
export type OptionName = `-${string}`;

export interface ScriptOptions {
  /**
   * A number where the text is one; `on` for an option without a value. One given twice has both values, and so has one
   * with several numbers behind it, `--betas 0.9 0.999`: another word there may as well be the script's own.
   */
  readonly named: ReadonlyMap<OptionName, string | number>;
  /** The other words. */
  readonly others: string;
}

const maxOptions = 60;
const isOption = (word: string): word is OptionName => /^-{1,2}[\p{L}_]/u.test(word);
const number = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
/** Longer digits would lose some as a number. */
const longestNumber = 15;

const valueOf = (text: string): string | number =>
  text.length <= longestNumber && number.test(text) ? Number(text) : text;

/** Records do not change: each script is read once. */
const known = new WeakMap<Script, ScriptOptions>();

export function optionsOf(script: Script): ScriptOptions {
  const found = known.get(script) ?? readOptions(script.arguments);
  known.set(script, found);
  return found;
}

function readOptions(text: string): ScriptOptions {
  const split = splitArguments(text);
  const named = new Map<OptionName, string | number>();
  if (!split.ok) return { named, others: text };
  const others: string[] = [];
  const put = (name: OptionName, value: string): void => {
    const before = named.get(name);
    if (before === undefined && named.size >= maxOptions) others.push(name, value);
    else named.set(name, before === undefined ? valueOf(value) : `${before} ${value}`);
  };
  const { words } = split;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const equals = word.indexOf('=');
    const next = words[at + 1];
    if (!isOption(word)) others.push(word);
    else if (equals > 0) put(`-${word.slice(1, equals)}`, word.slice(equals + 1));
    else if (next !== undefined && !isOption(next)) {
      const from = at + 1;
      at = from;
      if (number.test(next)) while (number.test(words[at + 1] ?? '')) at += 1;
      put(word, words.slice(from, at + 1).join(' '));
    } else put(word, 'on');
  }
  return { named, others: others.join(' ') };
}
