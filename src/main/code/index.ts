export type { CodeShelf, KeptCode, TakeOptions } from './contract.ts';
export { limited as limitedDiff } from './kept-files.ts';
export { measureCode, ownFolder } from './measure.ts';
export { keptSize } from './prune.ts';
export { createCodeShelf } from './shelf.ts';
