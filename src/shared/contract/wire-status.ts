/** A transport that may mend itself, and what is shown of it. */
import type { ClientTransport } from './rpc.ts';

/**
 * Why there is no wire, where waiting does not help: the host does not know this tab (`locked`), or what answers at its
 * address could not prove to be the host (`stranger`).
 */
export type WireProblem = 'locked' | 'stranger';

export interface WireStatus {
  readonly state: 'connecting' | 'open' | 'lost';
  /** True once the wire has been open: before that, the address or its secret may be wrong. */
  readonly everOpen: boolean;
  /** Milliseconds since 1970, where the next try is waiting for its time. */
  readonly retryAt?: number;
  readonly problem?: WireProblem;
}

export interface MendingTransport extends ClientTransport {
  readonly status: () => WireStatus;
  /** Called at each change of status. What was asked on a wire that is lost gets no answer. */
  onStatus(listener: (status: WireStatus) => void): () => void;
  /** Does not wait for the next try's time. */
  retryNow(): void;
}
