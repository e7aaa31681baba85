/** Public interface of provisioning. `index.ts` re-exports it. */
import type { Removal } from './removal.ts';
import type { LabDocument, LabNode } from '../../../shared/lab/lab.ts';
import type { RunCode } from '../../../shared/run/run-code.ts';
import type { KeptCode } from '../../code/index.ts';
import type { PythonVersions, ScriptEngine } from '../engine/step.ts';
import type { BundleIndex } from '../bundle/index-file.ts';
import type { Joined } from '../bundle/contract.ts';
import type { Lock } from '../runtime/index.ts';
import type { NodeFacts, NodePlan, NodeReadiness, PlanOf, StepId } from '../../../shared/node/provision.ts';

/** A node on which ranks can be started. */
export interface ReadyNode {
  readonly node: LabNode;
  readonly facts: NodeFacts;
  /** Absolute path of `ringlab-train` on the node. */
  readonly trainer: string;
  /** Absolute path of the Python that own scripts run with; undefined for the native trainer. */
  readonly python?: string | undefined;
  /** Absolute path of the data folder on the node; empty for an own script. */
  readonly data: string;
  /** Absolute path of the own script's code on the node, which is only read; and its versions. */
  readonly codeFolder?: string | undefined;
  readonly pythonVersions?: PythonVersions | undefined;
  /** What `ringlab.slow` loads, where it is not the trainer's own, or why there is none. */
  readonly engine?: ScriptEngine | undefined;
  /** The address at which the other nodes reach it. */
  readonly address: string;
  /** The interface of that address, where Ringlab created it. */
  readonly interface?: string | undefined;
  /** Shell prefix that enters the node's namespace; undefined where it has none. */
  readonly enter?: string | undefined;
  /** The verified backend: `nccl` where each rank has a GPU and the trainer supports it. */
  readonly backend: 'gloo' | 'nccl';
  /** GPUs that its ranks can compute on; by default all that it has. */
  readonly gpus?: number;
  /** Number of ranks on this node. */
  readonly processes: number;
  /** Additional environment variables of the trainer (`LD_LIBRARY_PATH`, …). */
  readonly environment: Readonly<Record<string, string>>;
}

export interface ReadyLab {
  /** In document order; rank 0 is the first process of the first node. */
  readonly nodes: readonly ReadyNode[];
  /** Where rank 0 listens; the port was free when it was tested. */
  readonly master: { readonly host: string; readonly port: number };
  /** The own script's code, which all nodes have. */
  readonly code?: KeptCode | undefined;
}

export interface PrepareOptions {
  readonly signal?: AbortSignal | undefined;
  /** Only these nodes; default: all training nodes. */
  readonly nodeIds?: readonly string[] | undefined;
  /** The code of an own script's earlier attempt, which is used again; by default its source as it is now. */
  readonly code?: RunCode | undefined;
  /** Steps to repeat even where their check succeeds. */
  readonly redo?: readonly StepId[] | undefined;
}

export interface Provisioner {
  /** Prepares nodes in parallel; rejects with the first node's error, `where` its name, after all have ended. */
  prepare(lab: LabDocument, options?: PrepareOptions): Promise<ReadyLab>;
  /** Connects and reads the facts; changes nothing on the node. */
  probe(lab: LabDocument, nodeId: string, signal?: AbortSignal): Promise<NodeFacts>;
  /** Solves the conda environment again on a node of each kind and stores the result with the lab; installs nothing. */
  lock(lab: LabDocument, signal?: AbortSignal): Promise<Lock[]>;
  /**
   * Downloads what the lab's nodes would need without internet, into `folder` or to where preparation looks for it.
   * Asks a node of each kind, which needs internet or a lent connection; changes nothing there but Ringlab's own folder.
   * With `cuda`, conda's packages and wheels are for that CUDA version, whatever the node has.
   */
  bundle(
    lab: LabDocument,
    options?: { readonly folder?: string | undefined; readonly cuda?: string | undefined },
    signal?: AbortSignal,
  ): Promise<{ folder: string; index: BundleIndex }>;
  /**
   * Imports what is new of another bundle; its programs only where the user wants them, for nodes other than this
   * computer. Throws hash_mismatch.
   */
  takeBundle(folder: string, options: { programs: boolean }): Promise<Joined>;
  /**
   * Dry run: what preparing or locking would do, for each node and step, with the exact commands; the common network
   * is with the first node. Changes nothing.
   */
  plan(
    lab: LabDocument,
    options?: Pick<PrepareOptions, 'signal' | 'nodeIds'> & { readonly of?: PlanOf | undefined },
  ): Promise<NodePlan[]>;
  /**
   * Removes everything of the app from a node, after the user's consent. Throws node_in_use, installation_running,
   * consent_refused.
   */
  remove(lab: LabDocument, nodeId: string, signal?: AbortSignal): Promise<Removal>;
  /**
   * Asks the user, reboots the node, and resolves when another boot of it answers. Throws `consent_refused`,
   * `reboot_failed`.
   */
  reboot(lab: LabDocument, nodeId: string, signal?: AbortSignal): Promise<void>;
  status(lab: LabDocument): NodeReadiness[];
  /** Another machine may be behind this node now: nothing is known of it any more. */
  forget(labId: string, nodeId: string): void;
}
