export type * from './contract.ts';
export type { Prompter } from './prompter.ts';
