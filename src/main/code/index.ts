/** Public interface of own scripts' code: what of a folder is sent, and the versions that are kept for runs. */
export type { CodeShelf, KeptCode, TakeOptions } from './contract.ts';
export { limited as limitedDiff } from './kept-files.ts';
export { measureCode, ownFolder } from './measure.ts';
export { keptSize } from './prune.ts';
export { createCodeShelf } from './shelf.ts';
