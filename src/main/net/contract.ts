/** Public interface of the emulated network: local nodes as namespaces connected by links. `index.ts` re-exports it. */
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { Measurement } from './paths.ts';
import type { NetworkState } from '../../shared/node/network.ts';

/** A node's address and namespace in an emulated network. */
interface NodePlace {
  readonly namespace: string;
  /** On its `lo`: every other node reaches it there, over the drawn links only. */
  readonly address: string;
  /** Shell prefix that enters the namespace as the current user. Ends without a space. */
  readonly enter: string;
}

export interface RaisedNetwork {
  readonly labId: string;
  /** Undefined for a switch and for an unknown node. */
  place(nodeId: string): NodePlace | undefined;
}

/** A script that a root shell runs on this computer. */
export interface NetworkChange {
  readonly what: 'remove' | 'create' | 'shape';
  readonly script: string;
}

export interface Networks {
  /**
   * Raises the drawn network, or finds it as drawn. Undefined where it is not emulated: `state` has the reason.
   * Throws `network_failed`, `network_in_use` where the drawing changed during a run, and `network_apart` where nodes
   * cannot reach each other.
   */
  raise(lab: LabDocument, signal?: AbortSignal): Promise<RaisedNetwork | undefined>;
  /** Dry run of `raise`: the scripts in order. Undefined where the network is not emulated. Throws as `raise` does. */
  changes(lab: LabDocument): Promise<NetworkChange[] | undefined>;
  /** A node's place in the lab's current network; raises nothing. */
  place(labId: string, nodeId: string): Promise<NodePlace | undefined>;
  /** Updates the links of a raised network to the changed drawing, and notifies the windows. */
  reshape(lab: LabDocument): Promise<void>;
  /** Recent measurements in the current network, for links that have not changed since. */
  remembered(lab: LabDocument): readonly Measurement[] | undefined;
  /** Stores measurements between pairs of nodes before a run, shown beside the drawn values. */
  measured(lab: LabDocument, measurements: readonly Measurement[]): void;
  state(lab: LabDocument): Promise<NetworkState>;
  /** Links that are down, by the names of their ends: `N1–N2`. */
  linksDown(labId: string): string[];
  /** Takes a link down or up, like a pulled cable. Throws `not_found` where there is no network. */
  setDown(labId: string, linkId: string, down: boolean): Promise<void>;
  /**
   * After a restart: takes over the networks of these labs, whose runs are active, and removes all others of this
   * data folder.
   */
  adopt(live: readonly LabDocument[]): Promise<void>;
  /** Removes a lab's network, if any. */
  remove(labId: string): Promise<void>;
  /** Monitors the links of a lab during its run: throughput and whether they are up. */
  watch(labId: string, on: boolean): void;
  /** Stops monitoring; keeps the networks of these labs, removes all others of this process. */
  close(keep: readonly string[]): Promise<void>;
}
