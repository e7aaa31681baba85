export type { CodeShelf, KeptCode, TakeOptions } from './contract.ts';
export { createCodeShelf } from './shelf.ts';
