/** What each way to a libtorch must offer to the libraries' step. */
import type { PlannedChange } from '../node/planned-change.ts';
import type { StepContext } from '../engine/step.ts';
import type { Libtorch } from '../node/libtorch.ts';

export interface RuntimeSource {
  /** It brings the JPEG, PNG and zlib libraries too: nothing is asked of the distribution. */
  readonly bringsImages: boolean;
  /** The libtorch that is there now; changes nothing on the node. */
  find(context: StepContext): Promise<Libtorch | undefined>;
  /** Brings it; `find` has it then. */
  install(context: StepContext): Promise<void>;
  /** What `install` would do. */
  plan(context: StepContext): Promise<readonly PlannedChange[]>;
  /** For a dry run: the libtorch that `install` would bring; undefined where that is not known yet. */
  readonly expected?: (context: StepContext) => Promise<Libtorch | undefined>;
  /** Compiler and CMake from the same place: returns what comes before a command that uses them. */
  readonly buildTools?: (context: StepContext) => Promise<string>;
}
