/** Expands paths that begin with `~`. */

/** `~` and `~/x` are in the node's home folder. */
export const expandHome = (path: string, home: string): string =>
  path === '~' ? home : path.startsWith('~/') ? `${home}/${path.slice(2)}` : path;
