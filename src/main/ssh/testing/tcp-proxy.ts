/** For tests: a TCP relay that fails on demand: pulled cables, resets, servers that never answer. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Number of accepted connections. */
  accepted(): number;
  /** From now on no data passes in either direction, without an error: a pulled cable. */
  freeze(): void;
  /** From now on nothing reaches the server, whose data still arrives: what is sent waits in a full buffer. */
  freezeSent(): void;
  /** Passes data again from now on. */
  thaw(): void;
  /** Resets every open connection. */
  reset(): void;
  /** Resets a connection as soon as it has sent so many bytes to the server; undefined: never. */
  resetAfter(bytes: number | undefined): void;
  stop(): Promise<void>;
}

/** @param targetPort a loopback port, or undefined for a server that accepts and never answers */
export async function startTcpProxy(targetPort: number | undefined): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let frozen = false;
  let sentFrozen = false;
  let budget: number | undefined;
  let accepted = 0;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    accepted += 1;
    keep(near);
    if (targetPort === undefined) return;
    const far = connect(targetPort, '127.0.0.1');
    keep(far);
    let sent = 0;
    near.on('data', (data) => {
      if (frozen || sentFrozen) return;
      sent += data.length;
      if (budget !== undefined && sent > budget) {
        near.resetAndDestroy();
        far.resetAndDestroy();
        return;
      }
      if (!far.write(data)) {
        near.pause();
        far.once('drain', () => near.resume());
      }
    });
    far.on('data', (data) => {
      if (frozen) return;
      if (!near.write(data)) {
        far.pause();
        near.once('drain', () => far.resume());
      }
    });
    near.on('close', () => !frozen && far.destroy());
    far.on('close', () => !frozen && near.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    accepted: () => accepted,
    freeze: () => {
      frozen = true;
    },
    freezeSent: () => {
      sentFrozen = true;
    },
    thaw: () => {
      [frozen, sentFrozen] = [false, false];
    },
    reset: () => sockets.forEach((socket) => socket.resetAndDestroy()),
    resetAfter: (bytes) => {
      budget = bytes;
    },
    async stop() {
      frozen = true;
      const closed = once(server, 'close');
      server.close();
      sockets.forEach((socket) => socket.destroy());
      await closed;
    },
  };
}
