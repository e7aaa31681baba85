/** What provisioning promises to the run service. `index.ts` re-exports this. */
import type { Removal } from './removal.ts';
import type { LabDocument, LabNode } from '../../../shared/lab/lab.ts';
import type { BundleIndex } from '../bundle/index-file.ts';
import type { Joined } from '../bundle/contract.ts';
import type { Lock } from '../runtime/index.ts';
import type { NodeFacts, NodePlan, NodeReadiness, PlanOf, StepId } from '../../../shared/node/provision.ts';

/** A node on which ranks can be started now. */
export interface ReadyNode {
  readonly node: LabNode;
  readonly facts: NodeFacts;
  /** Absolute path of `ringlab-train` on the node. */
  readonly trainer: string;
  /** Absolute path of the data folder on the node. */
  readonly data: string;
  /** The address the other nodes reach it at. */
  readonly address: string;
  /** The interface of that address, where Ringlab has made it. */
  readonly interface?: string | undefined;
  /** Shell text that starts what follows it in the node's own namespace; undefined where it has none. */
  readonly enter?: string | undefined;
  /** What an all-reduce was proven with here: `nccl` where each rank has a GPU and the trainer can. */
  readonly backend: 'gloo' | 'nccl';
  /** Ranks to start here. */
  readonly processes: number;
  /** What the trainer needs beside its own variables (`LD_LIBRARY_PATH`, …). */
  readonly environment: Readonly<Record<string, string>>;
}

export interface ReadyLab {
  /** In document order; rank 0 is the first process of the first node. */
  readonly nodes: readonly ReadyNode[];
  /** Where rank 0 listens: its port was free a moment ago. */
  readonly master: { readonly host: string; readonly port: number };
}

export interface PrepareOptions {
  readonly signal?: AbortSignal | undefined;
  /** Only these nodes; all training nodes by default. */
  readonly nodeIds?: readonly string[] | undefined;
  /** Steps to do again even where their check is content. */
  readonly redo?: readonly StepId[] | undefined;
}

export interface Provisioner {
  /** Brings nodes to ready in parallel; rejects with the first node's error, `where` its name, after all have ended. */
  prepare(lab: LabDocument, options?: PrepareOptions): Promise<ReadyLab>;
  /** Connects and reads the facts; changes nothing on the node. */
  probe(lab: LabDocument, nodeId: string, signal?: AbortSignal): Promise<NodeFacts>;
  /** Solves the conda environment anew on a node of each kind and keeps the result with the lab; installs nothing. */
  lock(lab: LabDocument, signal?: AbortSignal): Promise<Lock[]>;
  /**
   * Prepares what the lab's nodes would need without internet, and puts it into `folder` or where preparing looks for it.
   * Asks a node of each kind, which must reach the internet or be lent it; changes nothing there.
   */
  bundle(
    lab: LabDocument,
    folder?: string,
    signal?: AbortSignal,
  ): Promise<{ folder: string; index: BundleIndex }>;
  /**
   * Takes what is new of a bundle made elsewhere to where preparing looks for it; its programs only where the user wants
   * them, for nodes that are not this computer. Throws hash_mismatch.
   */
  takeBundle(folder: string, options: { programs: boolean }): Promise<Joined>;
  /**
   * A dry run: what preparing or locking would do, node by node and step by step, with the exact commands; the network of all
   * stands with the first node. Changes nothing.
   */
  plan(
    lab: LabDocument,
    options?: Pick<PrepareOptions, 'signal' | 'nodeIds'> & { readonly of?: PlanOf | undefined },
  ): Promise<NodePlan[]>;
  /** Removes everything of the app from a node, after the user's consent. Throws node_in_use, installation_running, consent_refused. */
  remove(lab: LabDocument, nodeId: string, signal?: AbortSignal): Promise<Removal>;
  /** Asks the user, reboots the node, and resolves when another boot of it answers. Throws `consent_refused`, `reboot_failed`. */
  reboot(lab: LabDocument, nodeId: string, signal?: AbortSignal): Promise<void>;
  status(lab: LabDocument): NodeReadiness[];
}
