/** A transport that may mend itself, and what is shown of it. */
import type { ClientTransport } from './rpc.ts';

export interface WireStatus {
  readonly state: 'connecting' | 'open' | 'lost';
  /** True once the wire has been open: before that, the address or its secret may be wrong. */
  readonly everOpen: boolean;
  /** Milliseconds since 1970, where the next try is waiting for its time. */
  readonly retryAt?: number;
}

export interface MendingTransport extends ClientTransport {
  readonly status: () => WireStatus;
  /** Called at each change of status. What was asked on a wire that is lost gets no answer. */
  onStatus(listener: (status: WireStatus) => void): () => void;
  /** Does not wait for the next try's time. */
  retryNow(): void;
}
