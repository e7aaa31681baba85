/** Types of a dictionary: its keys, each text's parameters, and what a translation must have. */
import type { Phrase } from '../base/phrase.ts';

/** The shape of a translation: the same keys as English; each language has its own plural forms. */
export type Words<T> = {
  readonly [K in keyof T as K extends `${string}_one` ? never : K]: T[K] extends string
    ? string
    : Words<T[K]>;
};

export interface Dictionary {
  readonly [key: string]: string | Dictionary;
}

/** The path of each text of the dictionary `T`, such as `plan.driver.load`. */
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

/** A parameter's value: a phrase is shown in the text's language; `{{names, joined}}` takes a list. */
export type Value = string | number | boolean | Phrase | readonly (string | Phrase)[];

type IsUnion<T, All = T> = T extends unknown ? ([All] extends [T] ? false : true) : never;

/**
 * The parameters of a text, required by name for a literal key; for a computed key any of them are allowed, and a
 * default replaces a missing one.
 */
export type Parameters<T, Key extends string> =
  IsUnion<Key> extends false
    ? [Names<TextAt<T, Key>>] extends [never]
      ? []
      : [parameters: Readonly<Record<Names<TextAt<T, Key>>, Value>>]
    : [parameters?: Readonly<Record<string, Value | undefined>>, missing?: Phrase];
