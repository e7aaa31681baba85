/** A WebSocket as a ServerTransport. */
import type { WebSocket } from 'ws';
import type { ServerMessage, ServerTransport } from '../../../shared/contract/rpc.ts';

/** A client that leaves this much unread is hung: it is disconnected and may reconnect. */
const maxBufferedBytes = 64 * 1024 * 1024;

/** Maximum number of messages buffered before there is a listener. */
const maxEarly = 64;

export function socketTransport(socket: WebSocket): ServerTransport {
  const early: unknown[] = [];
  let listener: ((message: unknown) => void) | undefined;
  socket.on('message', (data, isBinary) => {
    let message: unknown;
    try {
      // Without fragments a text message arrives as one Buffer; rpc validates its JSON.
      message = isBinary ? undefined : JSON.parse((data as Buffer).toString('utf8'));
    } catch {
      message = undefined;
    }
    if (listener !== undefined) listener(message);
    else if (early.length < maxEarly) early.push(message);
    // Messages arrive in order and complete, or the connection closes.
    else socket.terminate();
  });
  socket.on('error', () => socket.terminate());
  return {
    send(message: ServerMessage) {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > maxBufferedBytes) socket.terminate();
      else socket.send(JSON.stringify(message));
    },
    onMessage(next) {
      listener = next;
      for (const message of early.splice(0)) next(message);
      return () => {
        listener = undefined;
      };
    },
    onClose(closed) {
      socket.on('close', closed);
      return () => socket.off('close', closed);
    },
    close: () => socket.close(),
  };
}
