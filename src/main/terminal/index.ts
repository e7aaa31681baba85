/** Terminals on nodes: the public face. */
export { createTerminals, type Terminals } from './terminals.ts';
