/** Expands paths that begin with `~`. */

/** `~` and `~/x` are in this home folder, a node's or this computer's. */
export const expandHome = (path: string, home: string): string =>
  path === '~' ? home : path.startsWith('~/') ? `${home}/${path.slice(2)}` : path;
