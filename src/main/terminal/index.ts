/** Public interface of terminals on nodes. */
export { createTerminals, type Terminals } from './terminals.ts';
