/** A node as the network step sees it: ready, with a live session. */
import type { LabNode } from '../../../shared/lab/lab.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { SshSession } from '../../ssh/index.ts';
import type { NodeTunnel } from '../engine/step.ts';
import type { NodeStatus } from '../node/readiness.ts';
import type { TrainerCommand } from './listener.ts';

export interface NetworkNode extends TrainerCommand {
  readonly node: LabNode;
  readonly status: NodeStatus;
  readonly session: SshSession;
  readonly facts: NodeFacts;
  readonly tunnel?: NodeTunnel | undefined;
}
