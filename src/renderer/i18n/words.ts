/** The shape that a translation must have: the same keys as English, plural forms left to each language. */
export type Words<T> = {
  readonly [K in keyof T as K extends `${string}_one` ? never : K]: T[K] extends string
    ? string
    : Words<T[K]>;
};
