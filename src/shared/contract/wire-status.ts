/** A transport that reconnects, and its status. */
import type { ClientTransport } from './rpc.ts';

/**
 * Why there is no connection, where retrying does not help: the host does not accept this tab's session (`locked`),
 * or the server at its address could not prove to be the host (`stranger`).
 */
export type WireProblem = 'locked' | 'stranger';

export interface WireStatus {
  readonly state: 'connecting' | 'open' | 'lost';
  /** True once the connection has been open: before that, the address or its secret may be wrong. */
  readonly everOpen: boolean;
  /** Milliseconds since 1970 of the next retry, while one is scheduled. */
  readonly retryAt?: number;
  readonly problem?: WireProblem;
}

export interface MendingTransport extends ClientTransport {
  readonly status: () => WireStatus;
  /** Called at each change of status. Requests on a lost connection get no answer. */
  onStatus(listener: (status: WireStatus) => void): () => void;
  /** Retries at once. */
  retryNow(): void;
}
