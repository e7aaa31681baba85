/** Public interface of the emulated network. */
export type * from './contract.ts';
export type { Measurement } from './paths.ts';
export { createLimits, type Limits } from './limits.ts';
export { ownerOf } from './names.ts';
export { ownAddressInterface } from './script.ts';
export { queueSeconds } from './shaping.ts';
export { createNetworks } from './networks.ts';
