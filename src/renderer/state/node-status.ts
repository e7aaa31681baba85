/** A node's state, combined from its ranks, its preparation and its connection. */
import type { ConnectionState, NodeReadiness } from '../../shared/node/provision.ts';
import type { LabNode } from '../../shared/lab/lab.ts';
import { lostMembers } from '../../shared/run/membership.ts';
import { wasAway, wayBack } from '../../shared/run/way-back.ts';
import { isEnded, type RankRecord, type RunRecord } from '../../shared/run/run.ts';
import type { NodeState } from '../theme/index.ts';
import { useConnection, useReadiness } from './readiness.ts';
import { useNode } from './lab.ts';
import { useRunStore } from './runs.ts';

export interface NodeSources {
  /** How the node is reached as it is drawn now. */
  readonly access?: LabNode['access'] | undefined;
  readonly run: RunRecord | undefined;
  readonly readiness: NodeReadiness | undefined;
  readonly connection: ConnectionState | undefined;
}

/** In this order: an active run, the preparation, the connection, how the last run ended. */
export function nodeStatus(nodeId: string, { access, run, readiness, connection }: NodeSources): NodeState {
  const ranks = run === undefined ? [] : run.ranks.filter((rank) => rank.nodeId === nodeId);
  if (run !== undefined && !isEnded(run.state)) {
    if (run.unreachable[nodeId] !== undefined) return 'unreachable';
    if (comesBack(run, nodeId)) return 'waiting';
    const status = ranksStatus(ranks);
    if (status !== undefined && status !== 'idle') return status;
  }
  if (readiness?.state === 'preparing') return 'preparing';
  if (connection?.state === 'connecting') return 'connecting';
  if (connection?.state === 'unreachable') return 'unreachable';
  if (connection?.state === 'refused' || readiness?.state === 'failed') return 'failed';
  if (run !== undefined && isEnded(run.state) && isSameMachine(run, nodeId, access)) {
    const status = ranksStatus(ranks);
    if (status !== undefined && status !== 'idle') return status;
  }
  return readiness?.state === 'ready' ? 'ready' : 'idle';
}

/** Whether the others go on without this node's ranks, and take them in by themselves when they can. */
function comesBack(run: RunRecord, nodeId: string): boolean {
  const lost = lostMembers(run).filter((rank) => rank.nodeId === nodeId);
  if (lost.length === 0 || !lost.every((rank) => rank.state === 'running' || wasAway(rank))) return false;
  const way = wayBack(run, [], Date.now() / 1000);
  return way !== undefined && way.waits !== 'user';
}

/** Whether a run used the machine that the node's access leads to now: how it ended there says nothing of another one. */
function isSameMachine(run: RunRecord, nodeId: string, access: NodeSources['access']): boolean {
  const then = run.lab.nodes.find(({ id }) => id === nodeId)?.access;
  return access === undefined || then === undefined || JSON.stringify(then) === JSON.stringify(access);
}

/** The most severe state of a node's ranks; done only if all are. Undefined without ranks. */
function ranksStatus(ranks: readonly RankRecord[]): NodeState | undefined {
  if (ranks.length === 0) return undefined;
  for (const state of ['failed', 'lost', 'unreachable', 'running', 'starting', 'stopped'] as const) {
    if (ranks.some((rank) => rank.state === state)) return state;
  }
  return ranks.every((rank) => rank.state === 'done') ? 'done' : 'idle';
}

export function useNodeStatus(labId: string, runId: string | undefined, nodeId: string): NodeState {
  const readiness = useReadiness(labId, nodeId);
  const connection = useConnection(labId, nodeId);
  const access = useNode(nodeId)?.access;
  return useRunStore((state) =>
    nodeStatus(nodeId, {
      access,
      run: runId === undefined ? undefined : state.records[runId],
      readiness,
      connection,
    }),
  );
}
