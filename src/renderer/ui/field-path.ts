/** Which field shows a problem: the one at its path, or the one that has the whole list of which it is an entry. */

/** @param names the field's path and its key */
export const isFieldOf = (problem: string, names: readonly (string | undefined)[]): boolean =>
  names.some((name) => name !== undefined && (problem === name || problem.startsWith(`${name}[`)));
