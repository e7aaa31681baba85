/** Each node's preparation state, and whether it can be reached. */
import { create } from 'zustand';
import type { ConnectionState, NodeReadiness } from '../../shared/node/provision.ts';

/** Keys are `labId/nodeId`. */
const keyOf = (labId: string, nodeId: string): string => `${labId}/${nodeId}`;

export const useProvisionStore = create<{ readonly nodes: Readonly<Record<string, NodeReadiness>> }>(() => ({
  nodes: {},
}));
const useConnectionStore = create<{ readonly nodes: Readonly<Record<string, ConnectionState>> }>(() => ({
  nodes: {},
}));

export const putReadiness = (readiness: NodeReadiness): void =>
  useProvisionStore.setState((now) => ({
    nodes: { ...now.nodes, [keyOf(readiness.labId, readiness.nodeId)]: readiness },
  }));

export const putConnection = (connection: ConnectionState): void =>
  useConnectionStore.setState((now) => ({
    nodes: { ...now.nodes, [keyOf(connection.labId, connection.nodeId)]: connection },
  }));

/** All nodes of a lab at once, from a response; other labs' nodes are removed. */
export const putAllReadiness = (list: readonly NodeReadiness[]): void =>
  useProvisionStore.setState({
    nodes: Object.fromEntries(list.map((one) => [keyOf(one.labId, one.nodeId), one])),
  });
export const putAllConnections = (list: readonly ConnectionState[]): void =>
  useConnectionStore.setState({
    nodes: Object.fromEntries(list.map((one) => [keyOf(one.labId, one.nodeId), one])),
  });

export const readinessOf = (labId: string, nodeId: string): NodeReadiness | undefined =>
  useProvisionStore.getState().nodes[keyOf(labId, nodeId)];
export const useReadiness = (labId: string | undefined, nodeId: string): NodeReadiness | undefined =>
  useProvisionStore((state) => (labId === undefined ? undefined : state.nodes[keyOf(labId, nodeId)]));
export const useConnection = (labId: string | undefined, nodeId: string): ConnectionState | undefined =>
  useConnectionStore((state) => (labId === undefined ? undefined : state.nodes[keyOf(labId, nodeId)]));
