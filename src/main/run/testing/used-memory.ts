/** For the storm test: what this process, the app's, still needs. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of JavaScript's heap and of what it holds outside of it, after a garbage collection. */
export function usedMemory(): number {
  setFlagsFromString('--expose-gc');
  // A function of V8's own, which has no type.
  const collect = runInNewContext('gc') as () => void;
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
