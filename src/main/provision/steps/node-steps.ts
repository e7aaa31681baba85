/** Lists the steps of one node, in order. `network` follows for all nodes together. */
import type { Clock } from '../../base/clock.ts';
import { existingRuntime, systemRuntime, type RuntimeSource } from '../runtime/index.ts';
import {
  compileStep,
  createCodeStep,
  createExecutableStep,
  createNodeClones,
  createPythonStep,
  createScriptEngines,
} from '../script/index.ts';
import type { Step } from '../engine/step.ts';
import { createDataStep } from '../data/data.ts';
import type { DataStrategy } from '../data/strategy.ts';
import { createDriverStep } from '../driver/driver.ts';
import { createFactsStep } from './facts.ts';
import { createLibrariesStep } from '../runtime/libraries.ts';
import { reachStep } from './reach.ts';
import { createTrainerStep, type TrainerStepOptions } from '../trainer/trainer.ts';
import type { TrainerShelf } from '../trainer/trainer-shelf.ts';
import { createTunnelStep } from '../network/tunnel-step.ts';
import { verifyStep } from '../trainer/verify.ts';

export interface NodeStepOptions extends TrainerStepOptions {
  readonly clock: Clock;
  readonly upload: DataStrategy<'upload'>;
  readonly s3: DataStrategy<'s3'>;
  readonly shelf: TrainerShelf;
  readonly conda: RuntimeSource;
  readonly wheels: RuntimeSource;
  /** The data folder's tag. */
  readonly owner: string;
  /** A folder of this computer for what local nodes share. */
  readonly shared: string;
  /** The user's own home folder on this computer. */
  readonly home: string;
}

/** Read-only steps. */
export const lookingSteps = (clock: Clock): Step[] => [reachStep, createFactsStep(clock)];
/** The same for a user who tests the connection. */
export const probingSteps = (clock: Clock): Step[] => [
  reachStep,
  createFactsStep(clock, { outward: true, usable: true }),
];

// The driver comes directly after the facts: it may need a reboot, and later steps depend on it.
export const nodeSteps = (options: NodeStepOptions): Step[] => [
  reachStep,
  createFactsStep(options.clock, { usable: true }),
  createDriverStep(options.clock, options.home),
  createLibrariesStep(options.clock, options.conda, options.wheels),
  createTrainerStep(options),
  verifyStep,
  createDataStep(options.upload, options.s3),
  createTunnelStep(options.owner),
];

/** The same for an own script: code comes first, since a syntax error must be found before anything long is done. */
export const scriptSteps = (options: NodeStepOptions): Step[] => [
  reachStep,
  createFactsStep(options.clock, { usable: true }),
  createCodeStep(createNodeClones()),
  createDriverStep(options.clock, options.home),
  createPythonStep({ system: systemRuntime, existing: existingRuntime, wheels: options.wheels }),
  createExecutableStep(options.shelf, createTrainerStep(options), createScriptEngines(options)),
  compileStep,
  createTunnelStep(options.owner),
];
