/** Sources of a node's libtorch: the system, an existing one, an environment of conda packages, or of PyTorch's wheels. */
export { createCondaRuntime, type CondaSource } from './conda.ts';
export { existingRuntime } from './existing.ts';
export { createLockBook, type Lock, type NodeMake } from './lock.ts';
export { createUvKeeper } from './wheels/uv.ts';
export { localWheels, removeUnusedWheels } from './wheels/uv-folders.ts';
export { oldestPythonOf } from './wheels/wheels-content.ts';
export { createWheelsRuntime, type WheelsSource } from './wheels/wheels.ts';
export type { RuntimeSource } from './runtime.ts';
export { systemPython, systemRuntime } from './system.ts';
export { pythonArchive, pythonSources } from './wheels/python-builds.ts';
export { fileOnPage, maxPage, pageOf, type IndexedFile } from './wheels/index-page.ts';
export type { SolvedWheel } from './wheels/wheels-solve.ts';
