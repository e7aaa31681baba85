/**
 * Notices that the line to a page is cut. Through a tunnel (`ssh -L`) both ends keep their connections to it, and neither gets an error.
 */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { ServerMessage } from '../../../shared/contract/rpc.ts';
import { systemClock, type Clock } from '../../base/clock.ts';

const everyMs = 15_000;
/** Pings without an answer before the line counts as cut. */
const maxUnanswered = 3;
/** A page that has heard nothing for this long may close its socket: it has been sent several messages meanwhile. */
export const silentMs = (maxUnanswered + 1) * everyMs;

/** A script does not see pings. Every version of the page knows this message, and does nothing. */
const sign: ServerMessage = { type: 'events', events: [] };

/**
 * Terminates a client that does not answer. Pings are counted, not the time: a computer that was asleep has sent none.
 * @param line below the client
 */
export function keepBeating(
  client: WebSocket,
  line: Pick<Socket, 'bytesWritten' | 'writableLength'>,
  clock: Pick<Clock, 'after'> = systemClock,
): void {
  let unanswered = 0;
  let passed = 0;
  const beat = (): void => {
    const before = passed;
    passed = line.bytesWritten - line.writableLength;
    // On a slow line the ping waits behind a large message.
    if (client.bufferedAmount > 0 && passed > before) unanswered = 0;
    if (unanswered >= maxUnanswered) {
      client.terminate();
      return;
    }
    unanswered += 1;
    client.ping();
    client.send(JSON.stringify(sign));
    stop = clock.after(everyMs, beat);
  };
  let stop = clock.after(everyMs, beat);
  const heard = (): void => {
    unanswered = 0;
  };
  client.on('pong', heard);
  client.on('message', heard);
  client.once('close', () => stop());
}
