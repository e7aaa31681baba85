/** Local nodes, and how any drawn node is reached: the public face. */
export type * from './contract.ts';
export { sshCommand } from './ssh-command.ts';
export { createReach, type ReachWithStates } from './reach.ts';
