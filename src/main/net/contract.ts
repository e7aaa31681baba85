/** What the emulated network promises: a drawn topology of local nodes as namespaces and links. `index.ts` re-exports this. */
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { Measurement } from './paths.ts';
import type { NetworkState } from '../../shared/node/network.ts';

/** A node's place in a raised network. */
interface NodePlace {
  readonly namespace: string;
  /** On its `lo`: every other node reaches it there, over the drawn links alone. */
  readonly address: string;
  /**
   * Shell text that starts what follows it inside the namespace, as the user that the shell runs as. Ends without a
   * blank.
   */
  readonly enter: string;
}

export interface RaisedNetwork {
  readonly labId: string;
  /** Undefined for a switch and for an unknown node. */
  place(nodeId: string): NodePlace | undefined;
}

/** One script that root's shell runs on this computer. */
export interface NetworkChange {
  readonly what: 'remove' | 'create' | 'shape';
  readonly script: string;
}

export interface Networks {
  /**
   * Makes the drawn network real, or finds it standing as drawn. Undefined where it is not emulated: `state` says why.
   * Throws `network_failed`, `network_in_use` where the drawing changed under a run, and `network_apart` where nodes cannot
   * reach each other.
   */
  raise(lab: LabDocument, signal?: AbortSignal): Promise<RaisedNetwork | undefined>;
  /** What `raise` would run now, in order; changes nothing. Undefined where the network is not emulated. Throws as `raise` does. */
  changes(lab: LabDocument): Promise<NetworkChange[] | undefined>;
  /** A node's place in the network that stands for a lab now; raises nothing. */
  place(labId: string, nodeId: string): Promise<NodePlace | undefined>;
  /** The drawing changed: brings the links of a raised network to what is drawn now, and notifies the windows. */
  reshape(lab: LabDocument): Promise<void>;
  /** What was measured in the last minutes in the network that stands, and of links that have not changed since. */
  remembered(lab: LabDocument): readonly Measurement[] | undefined;
  /** What was measured between pairs of nodes before a run; shown beside what is drawn. */
  measured(lab: LabDocument, measurements: readonly Measurement[]): void;
  state(lab: LabDocument): Promise<NetworkState>;
  /** Links that are down now, as a user names them: `N1–N2`. */
  linksDown(labId: string): string[];
  /** Takes a link down, or up again: a pulled cable. Throws `not_found` where the network does not stand. */
  setDown(labId: string, linkId: string, down: boolean): Promise<void>;
  /**
   * What an earlier process of the app left: networks of these labs, whose runs go on, are taken over; all others of this
   * data folder are removed.
   */
  adopt(live: readonly LabDocument[]): Promise<void>;
  /** Removes a lab's network; harmless where there is none. */
  remove(labId: string): Promise<void>;
  /** Watches the links of a lab while its run goes on: throughput and whether they are up. */
  watch(labId: string, on: boolean): void;
  /** Ends watching; networks of these labs stay, all others of this process are removed. */
  close(keep: readonly string[]): Promise<void>;
}
