/**
 * What a step is. A step looks first (`check`), works only where that is needed (`apply`), and proves that it worked
 * (`verify`). Every step may be repeated at any time.
 *
 * A new step is one file in `steps/`, its id in `stepIds` (src/shared/node/provision.ts) and one line in `nodeSteps`
 * (node-steps.ts). A dry run is `planStep`: `check`, and where something is to do, `plan`.
 */
import type { Phrase } from '../../../shared/base/phrase.ts';
import type { LabDocument, LabNode } from '../../../shared/lab/lab.ts';
import type { NodeFacts, OtherStepId, StepId } from '../../../shared/node/provision.ts';
import type { BundleStore } from '../bundle/contract.ts';
import type { PlannedChange } from '../node/planned-change.ts';
import type { SshSession } from '../../ssh/index.ts';
import type { NodeShell } from '../node/node-shell.ts';
import type { Question } from '../node/questions.ts';
import type { StepStatus } from '../node/readiness.ts';
import type { NodeRights } from '../node/rights.ts';
import type { Libtorch } from '../node/libtorch.ts';
import type { Machine } from '../node/trainer-origin.ts';

/** A node's end of the lab's tunnel. */
export interface NodeTunnel {
  readonly name: string;
  /** Of WireGuard, in base64. */
  readonly publicKey: string;
}

/** What the steps of one node find out for those after them. */
export interface NodeWork {
  facts?: NodeFacts;
  /** The libtorch that the trainer is built with and runs on; until the libraries' step the system's own. */
  libtorch?: Libtorch | undefined;
  /** Brings compiler and CMake from where libtorch came from; returns what comes before a command that uses them. */
  buildTools?: ((context: StepContext) => Promise<string>) | undefined;
  /** In a dry run: `libtorch` is not there yet, but what the libraries' step is expected to bring. */
  foreseen?: boolean;
  /** Absolute path of the trainer on the node; in a dry run where it will be. */
  trainer?: string;
  /** What an all-reduce was proven with here, on every device that ranks use. */
  backend?: 'gloo' | 'nccl' | undefined;
  /** Absolute path of the data folder on the node. */
  data?: string;
  /** Its end of the lab's tunnel, where the lab wants one. */
  tunnel?: NodeTunnel;
}

export interface StepContext {
  readonly lab: LabDocument;
  readonly node: LabNode;
  /** Who the node is to us. */
  readonly machine: Machine;
  /** Another one after a reboot, and so are the rights, which are the session's. */
  shell: NodeShell;
  rights: NodeRights;
  readonly work: NodeWork;
  readonly status: StepStatus;
  readonly signal: AbortSignal;
  /** This node's live session, now or later. */
  readonly connect: () => Promise<SshSession>;
  /** What was prepared for nodes without internet. */
  readonly bundle?: BundleStore | undefined;
  /** The user asked for this step to be done again, although its check may be content. */
  readonly redo: boolean;
  /** Reboots the node and waits for it; `shell` is the new boot's then. Throws reboot_failed. */
  reboot(command: string): Promise<void>;
}

/** What is known while a step's questions are announced beforehand. What is noted in `work` is forgotten again. */
export type Foreseeing = Pick<StepContext, 'lab' | 'node' | 'machine' | 'work'>;

/** A step of its own place, or another one that is shown in a step's place. */
type Named =
  { readonly id: StepId; readonly place?: undefined } | { readonly id: OtherStepId; readonly place: StepId };

export type Step = Named & StepWork;

/** Where a step is shown, and what it is where it is not the step of that place. */
export const placeOf = (step: Step): { readonly id: StepId; readonly instead?: OtherStepId } =>
  step.place === undefined ? { id: step.id } : { id: step.place, instead: step.id };

export interface StepWork {
  /**
   * What `check` will ask where nothing is to do, for one command that asks it all (questions.ts). Undefined where that
   * depends on what an earlier step has not found out yet.
   */
  foresee?(context: Foreseeing): Promise<readonly Question[] | undefined>;
  /**
   * What `apply` and `verify` would change, with the very commands that they run, for a dry run; changes nothing either.
   * Both come from the same function (planned-change.ts); planned-commands.test.ts compares them.
   */
  plan?(context: StepContext): Promise<readonly PlannedChange[]>;
  /** A line of plain facts where nothing is to do; undefined where `apply` is needed. Changes nothing on the node. */
  check(context: StepContext): Promise<Phrase | undefined>;
  apply(context: StepContext): Promise<void>;
  /** The line of plain facts, or an error where `apply` did not do what it promised. */
  verify(context: StepContext): Promise<Phrase>;
}

/** What an earlier step has found out; that it is missing is a mistake in the order of steps. */
export function known<K extends keyof NodeWork>(work: NodeWork, key: K): NonNullable<NodeWork[K]> {
  const value = work[key];
  if (value === undefined) throw new Error(`${key} is asked for before it is known`);
  return value;
}
