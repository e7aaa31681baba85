/** What the network step is given: the nodes as it sees them, ready and with a live session each. */
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

/** Where a node is within the lab's tunnel. */
export interface TunnelPlace {
  readonly address: string;
  readonly interface: string;
}

/** Joins the nodes by a tunnel; what it says and meets stands in each node's record. */
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
  /** Makes the drawn network real; undefined where the nodes meet on networks that are there already. */
  readonly raise?: (() => Promise<RaisedNetwork | undefined>) | undefined;
  /** Where the lab wants the nodes' traffic encrypted: their addresses are the tunnel's then. */
  readonly encrypt?: Encrypt | undefined;
  /** What was measured in this raised network before, while nothing about it has changed since. */
  readonly remembered?: (() => readonly Measurement[] | undefined) | undefined;
  /** Called with what was measured between pairs of nodes. */
  readonly onMeasured?: ((measurements: Measurement[]) => void) | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
