/** The part of a WebSocket that the transport of a page uses, so that tests can stand in for it. */
import type { WireProblem } from '../../shared/contract/wire-status.ts';

/** A WebSocket to a host that has proved its identity. */
export interface Socket {
  /** With the longest time between two messages of this host in milliseconds, if it has one. */
  onopen: ((silentMs?: number) => void) | null;
  onclose: ((problem?: WireProblem) => void) | null;
  onmessage: ((message: MessageEvent) => void) | null;
  send(text: string): void;
  close(): void;
}
