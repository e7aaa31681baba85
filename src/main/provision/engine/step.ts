/**
 * The interface of a step. A step first checks (`check`), changes something only where needed (`apply`), and verifies
 * the result (`verify`). Every step is idempotent.
 *
 * A new step is a file in the folder of its subject, its id in `stepIds` (src/shared/node/provision.ts), one line in `nodeSteps`
 * (steps/node-steps.ts) and its texts: CONTRIBUTING.md. A dry run is `planStep`: `check`, and `plan` where something is to do.
 */
import type { Phrase } from '../../../shared/base/phrase.ts';
import type { LabDocument, LabNode } from '../../../shared/lab/lab.ts';
import type { NodeFacts, OtherStepId, StepId } from '../../../shared/node/provision.ts';
import type { KeptCode, TakeOptions } from '../../code/index.ts';
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
  /** WireGuard's public key in base64. */
  readonly publicKey: string;
}

export interface PythonVersions {
  readonly python: string;
  readonly torch: string;
}

/** The trainer's synchronisation as a library for one libtorch. */
export type ScriptEngine = { readonly path: string } | { readonly problem: string };

/** The code of an own script in one preparation: the same for all its nodes. */
export interface ScriptCode {
  /** Begins to read it while the nodes are reached. */
  begin(signal: AbortSignal): void;
  /** Read once, for all nodes. */
  take(how: TakeOptions): Promise<KeptCode>;
  /** `check` runs on the node that comes first; the others wait for it, and fail as cancelled where it fails. */
  once(check: () => Promise<void>): Promise<void>;
}

/** Results of a node's steps that later steps use. */
export interface NodeWork {
  facts?: NodeFacts;
  /** The libtorch that the trainer is built and run with; before the libraries step the system's own. */
  libtorch?: Libtorch | undefined;
  /** Absolute path of the Python on the node that own scripts run with; `import torch` works there. */
  python?: string | undefined;
  /** Its version, and that of its torch: `3.11.2`, `1.13.1`. */
  pythonVersions?: PythonVersions | undefined;
  /** Absolute path of the folder with an own script's code on the node. */
  codeFolder?: string;
  /** Provides compiler and CMake from the source of libtorch; returns a command prefix that makes them available. */
  buildTools?: ((context: StepContext) => Promise<string>) | undefined;
  /** In a dry run: `libtorch` does not exist yet, but is expected from the libraries step. */
  foreseen?: boolean;
  /** Absolute path of the trainer on the node; in a dry run its future path. */
  trainer?: string;
  /** For an own script that asks for it: what `ringlab.slow` loads, or why there is none. */
  engine?: ScriptEngine | undefined;
  /** The backend for which an all-reduce was verified here, on every device that ranks use. */
  backend?: 'gloo' | 'nccl' | undefined;
  /** Absolute path of the data folder on the node. */
  data?: string;
  /** Its end of the lab's tunnel, where the lab is encrypted. */
  tunnel?: NodeTunnel;
}

export interface StepContext {
  readonly lab: LabDocument;
  readonly node: LabNode;
  /** The node's identity: address and host key. */
  readonly machine: Machine;
  /** Replaced after a reboot; so are the rights, which belong to the session. */
  shell: NodeShell;
  rights: NodeRights;
  readonly work: NodeWork;
  readonly status: StepStatus;
  readonly signal: AbortSignal;
  /** Returns this node's live session, reconnecting where needed. */
  readonly connect: () => Promise<SshSession>;
  /** The bundle for nodes without internet. */
  readonly bundle?: BundleStore | undefined;
  /** Of an own script; undefined for the native trainer. */
  readonly code?: ScriptCode | undefined;
  /** The user asked to repeat this step even if its check succeeds. */
  readonly redo: boolean;
  /** Reboots the node and waits for it; `shell` is then a session of the new boot. Throws reboot_failed. */
  reboot(command: string): Promise<void>;
}

/** The context while questions are collected in advance. Changes to `work` are discarded. */
export type Foreseeing = Pick<StepContext, 'lab' | 'node' | 'machine' | 'work'>;

/** A step with its own row, or one that is shown in another step's row. */
type Named =
  { readonly id: StepId; readonly place?: undefined } | { readonly id: OtherStepId; readonly place: StepId };

export type Step = Named & StepWork;

/** The row in which a step is shown, and its own id where that differs. */
export const placeOf = (step: Step): { readonly id: StepId; readonly instead?: OtherStepId } =>
  step.place === undefined ? { id: step.id } : { id: step.place, instead: step.id };

export interface StepWork {
  /**
   * The questions of `check` where nothing is to do, to be batched (questions.ts). Undefined where they depend on an
   * earlier step's results.
   */
  foresee?(context: Foreseeing): Promise<readonly Question[] | undefined>;
  /**
   * For a dry run: what `apply` and `verify` would change, with the exact commands; changes nothing itself. Commands
   * come from the same function as in `apply` (planned-change.ts); planned-commands.test.ts compares them.
   */
  plan?(context: StepContext): Promise<readonly PlannedChange[]>;
  /** A line of plain facts where nothing is to do; undefined where `apply` is needed. Changes nothing on the node. */
  check(context: StepContext): Promise<Phrase | undefined>;
  apply(context: StepContext): Promise<void>;
  /** The line of plain facts, or an error where `apply` had no effect. */
  verify(context: StepContext): Promise<Phrase>;
}

/** The result of an earlier step; where it is missing, the order of steps is wrong. */
export function known<K extends keyof NodeWork>(work: NodeWork, key: K): NonNullable<NodeWork[K]> {
  const value = work[key];
  if (value === undefined) throw new Error(`${key} is asked for before it is known`);
  return value;
}
