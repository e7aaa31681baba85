/** Public interface of the RPC layer. */
export { createDispatcher, type DispatchNote } from './dispatcher.ts';
export { directApi } from './direct.ts';
export type { Handlers } from './handlers.ts';
