/** The interface of each source of libtorch for the libraries step. */
import type { PlannedChange } from '../node/planned-change.ts';
import type { StepContext } from '../engine/step.ts';
import type { Libtorch } from '../node/libtorch.ts';

export interface RuntimeSource {
  /** It includes the JPEG, PNG and zlib libraries: no packages of the distribution are needed. */
  readonly bringsImages: boolean;
  /** The existing libtorch; changes nothing on the node. */
  find(context: StepContext): Promise<Libtorch | undefined>;
  /**
   * For own scripts: absolute path of the Python whose torch this source provides; changes nothing on the node. Without
   * it the source has no Python.
   */
  readonly python?: (context: StepContext) => Promise<string | undefined>;
  /** Installs it (for an own script: Python with torch), so that `find` returns it. */
  install(context: StepContext): Promise<void>;
  /** What `install` would do. */
  plan(context: StepContext): Promise<readonly PlannedChange[]>;
  /** For a dry run: the libtorch that `install` would provide; undefined where unknown. */
  readonly expected?: (context: StepContext) => Promise<Libtorch | undefined>;
  /** Compiler and CMake from the same source: returns a command prefix that makes them available. */
  readonly buildTools?: (context: StepContext) => Promise<string>;
}
