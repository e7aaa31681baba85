/** Sources of a node's libtorch: the system, an existing one, an environment of conda packages, or of PyTorch's wheels. */
export { createCondaRuntime, type CondaSource } from './conda.ts';
export { existingRuntime } from './existing.ts';
export { createLockBook, type Lock, type NodeMake } from './lock.ts';
export { createUvKeeper } from './uv.ts';
export { localWheels, removeUnusedWheels } from './uv-folders.ts';
export { createWheelsRuntime } from './wheels.ts';
export type { RuntimeSource } from './runtime.ts';
export { systemPython, systemRuntime } from './system.ts';
