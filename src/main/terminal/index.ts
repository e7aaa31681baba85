/** Terminals on nodes: the public face. */
export { createTerminals, type Terminals, type TerminalsOptions } from './terminals.ts';
