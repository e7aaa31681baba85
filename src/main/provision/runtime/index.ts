/** Sources of a node's libtorch: the system, an existing one, or an environment of conda packages. */
export { createCondaRuntime, type CondaSource } from './conda.ts';
export { existingRuntime } from './existing.ts';
export { createLockBook, type Lock, type NodeMake } from './lock.ts';
export type { RuntimeSource } from './runtime.ts';
export { systemRuntime } from './system.ts';
