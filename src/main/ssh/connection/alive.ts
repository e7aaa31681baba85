/** Keeps a connection on which data arrives, as ssh(1) does: ssh2 counts only the answers to its keep-alive messages. */
import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';

/** The part of ssh2's client that its types omit; the tests fail for a version without it. */
interface Insides {
  /** Begins to wait for the next keep-alive message, with none unanswered. */
  readonly _resetKA?: () => void;
}

/**
 * Such a message waits behind all that is being sent, megabytes during an upload, which on a slow link takes longer than the
 * time after which a connection is given up.
 */
export function keepWhileDataArrives(client: Client, socket: Duplex, keepaliveMs: number): void {
  // A field that ssh2 has but does not type (see Insides).
  const insides = client as unknown as Insides;
  let last = performance.now();
  socket.on('data', () => {
    const now = performance.now();
    // Thousands of packets may arrive in a second; each reset makes a timer.
    if (now - last < keepaliveMs / 10) return;
    last = now;
    insides._resetKA?.();
  });
}
