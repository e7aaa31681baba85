/** Types of a dictionary: which keys it has, which parameters a text takes, and what a translation must have. */
import type { Phrase } from '../base/phrase.ts';

/** The shape that a translation must have: the same keys as English, plural forms left to each language. */
export type Words<T> = {
  readonly [K in keyof T as K extends `${string}_one` ? never : K]: T[K] extends string
    ? string
    : Words<T[K]>;
};

export interface Dictionary {
  readonly [key: string]: string | Dictionary;
}

/** `plan.driver.load`: the way to each text of the dictionary `T`. */
export type Keys<T, Before extends string = ''> = {
  [K in keyof T & string]: T[K] extends string ? `${Before}${K}` : Keys<T[K], `${Before}${K}.`>;
}[keyof T & string];

/** The English text at a key: a literal, since dictionaries are `as const`. */
type TextAt<T, Key extends string> = Key extends keyof T
  ? T[Key]
  : Key extends `${infer First}.${infer Rest}`
    ? First extends keyof T
      ? TextAt<T[First], Rest>
      : never
    : never;

/** The names in `{{name}}` and `{{name, format}}` of a text. */
type Names<Text> = Text extends `${string}{{${infer Inside}}}${infer Rest}`
  ? (Inside extends `${infer Name}, ${string}` ? Name : Inside) | Names<Rest>
  : never;

/** What a text is filled with: a phrase stands in its own language. `{{names, joined}}` takes a list. */
export type Value = string | number | boolean | Phrase | readonly (string | Phrase)[];

type IsUnion<T, All = T> = T extends unknown ? ([All] extends [T] ? false : true) : never;

/**
 * The parameters of a text: each by its name where the key is one; of a key that is put together, any of
 * them, and what stands for one that is missing.
 */
export type Parameters<T, Key extends string> =
  IsUnion<Key> extends false
    ? [Names<TextAt<T, Key>>] extends [never]
      ? []
      : [parameters: Readonly<Record<Names<TextAt<T, Key>>, Value>>]
    : [parameters?: Readonly<Record<string, Value | undefined>>, missing?: Phrase];
