/** JSON messages over a stream, one for each line, with limits: the control channel's transport at both ends. */
import type { Socket } from 'node:net';
import type { Transport } from '../../shared/contract/rpc.ts';

/** Maximum length of a message, the same as the web host's. */
export const maxMessageBytes = 64 * 1024 * 1024;
/** Maximum number of bytes that the other side has not read: beyond it, it hangs or is gone. */
const maxUnreadBytes = 64 * 1024 * 1024;
/** Maximum number of messages buffered until there is a listener. */
const maxEarly = 64;

const newLine = 0x0a;

/**
 * A line that is not JSON is delivered as undefined, for the listener to count; one that is too long closes the
 * transport.
 */
export function lineTransport<Out>(
  socket: Socket,
  /** Read again for each message: before authentication the limit is lower. */
  limits: { readonly messageBytes: number } = { messageBytes: maxMessageBytes },
): Transport<Out, unknown> {
  const early: unknown[] = [];
  const closeListeners = new Set<() => void>();
  let listener: ((message: unknown) => void) | undefined;
  let parts: Buffer[] = [];
  let held = 0;
  let closed = false;

  const receive = (line: Buffer): void => {
    let message: unknown;
    try {
      message = JSON.parse(line.toString('utf8'));
    } catch {
      message = undefined;
    }
    if (listener !== undefined) listener(message);
    else if (early.length < maxEarly) early.push(message);
    else socket.destroy();
  };
  socket.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(newLine); end >= 0; end = chunk.indexOf(newLine, from)) {
      if (held + end - from > limits.messageBytes) {
        socket.destroy();
        return;
      }
      const line = Buffer.concat([...parts, chunk.subarray(from, end)]);
      parts = [];
      held = 0;
      from = end + 1;
      if (line.length > 0) receive(line);
    }
    held += chunk.length - from;
    if (held > limits.messageBytes) socket.destroy();
    else if (from < chunk.length) parts.push(chunk.subarray(from));
  });
  socket.on('error', () => socket.destroy());
  socket.once('close', () => {
    closed = true;
    for (const notify of [...closeListeners]) notify();
    closeListeners.clear();
  });
  return {
    send(message) {
      if (closed || !socket.writable) return;
      if (socket.writableLength > maxUnreadBytes) socket.destroy();
      else socket.write(`${JSON.stringify(message)}\n`);
    },
    onMessage(next) {
      listener = next;
      for (const message of early.splice(0)) next(message);
      return () => {
        if (listener === next) listener = undefined;
      };
    },
    onClose(notify) {
      if (closed) queueMicrotask(notify);
      closeListeners.add(notify);
      return () => closeListeners.delete(notify);
    },
    close: () => socket.end(),
  };
}

/** The next message, or undefined where none arrives in time or the transport closes. */
export function nextMessage(wire: Transport<unknown, unknown>, milliseconds: number): Promise<unknown> {
  return new Promise((resolve) => {
    const stops: (() => void)[] = [];
    const settle = (message: unknown): void => {
      clearTimeout(timer);
      // Messages in the same chunk are buffered for the next listener.
      for (const stop of stops) stop();
      resolve(message);
    };
    const timer = setTimeout(() => settle(undefined), milliseconds);
    stops.push(wire.onClose(() => settle(undefined)));
    stops.push(wire.onMessage(settle));
  });
}
