/** Paths that begin with `~`. */

/** `~` and `~/x` are the node's own home. */
export const expandHome = (path: string, home: string): string =>
  path === '~' ? home : path.startsWith('~/') ? `${home}/${path.slice(2)}` : path;
