/** The input of the network step: the nodes, ready and with a live session each. */
import type { LabDocument, LabNode } from '../../../shared/lab/lab.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { SshSession } from '../../ssh/index.ts';
import type { NodeTunnel } from '../engine/step.ts';
import type { NodeStatus, StepStatus } from '../node/readiness.ts';
import type { Clock } from '../../base/clock.ts';
import type { Measurement, RaisedNetwork } from '../../net/index.ts';
import type { PortPromises } from './ports.ts';
import type { TrainerCommand } from './listener.ts';

export interface NetworkNode extends TrainerCommand {
  readonly node: LabNode;
  readonly status: NodeStatus;
  readonly session: SshSession;
  readonly facts: NodeFacts;
  readonly tunnel?: NodeTunnel | undefined;
}

/** A node's address within the lab's tunnel. */
export interface TunnelPlace {
  readonly address: string;
  readonly interface: string;
}

/** Joins the nodes by a tunnel; progress and errors are in each node's record. */
type Encrypt = (
  nodes: readonly NetworkNode[],
  raised: RaisedNetwork | undefined,
  record: (node: NetworkNode) => StepStatus,
) => Promise<ReadonlyMap<string, TunnelPlace> | undefined>;

export interface NetworkOptions {
  readonly lab: LabDocument;
  /** Rank 0's node first. */
  readonly nodes: readonly [NetworkNode, ...NetworkNode[]];
  readonly ports: PortPromises;
  /** Raises the emulated network; undefined where the nodes use existing networks. */
  readonly raise?: (() => Promise<RaisedNetwork | undefined>) | undefined;
  /** Where the lab is encrypted: the nodes' addresses are then those of the tunnel. */
  readonly encrypt?: Encrypt | undefined;
  /** Earlier measurements in this emulated network, valid while it has not changed. */
  readonly remembered?: (() => readonly Measurement[] | undefined) | undefined;
  /** Called with the measurements between pairs of nodes. */
  readonly onMeasured?: ((measurements: Measurement[]) => void) | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
