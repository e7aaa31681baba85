/** Public interface of local nodes and of connections to all nodes. */
export type * from './contract.ts';
export { markDeleted, markedLabs, removeLeft, unmarkDeleted } from './left-nodes.ts';
export { sshCommand } from './ssh-command.ts';
export { createReach, type ReachWithStates } from './reach.ts';
