/**
 * Checks that ranks on this computer can meet on its loopback: the app itself listens and connects on the run's port.
 * The nodes' trainers would give the same result, with an additional process and session for each node.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { Listener, Measured } from './listener.ts';

const loopback = '127.0.0.1';
/** Enough for a measurement, too little to disturb. */
const bytesEachWay = 32 * 1024 * 1024;
const pieceBytes = 256 * 1024;
const roundTrips = 9;
const patienceMs = 10_000;

/** An echo server. Undefined where the port is in use. Throws command_failed for other errors. */
export async function listenHere(port: number): Promise<Listener | undefined> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  // As rank 0 will: all nodes are on this computer.
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
    if (code === 'EADDRINUSE') return undefined;
    throw new RinglabError(
      'command_failed',
      { command: `listen 0.0.0.0:${port}`, code },
      { detail: String(error), cause: error },
    );
  }
  return {
    secret: '',
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Undefined where nothing answers. */
export async function connectHere(port: number): Promise<Measured | undefined> {
  const socket = connect({ port, host: loopback, noDelay: true, timeout: patienceMs });
  socket.once('timeout', () => socket.destroy(new Error('silent')));
  try {
    await once(socket, 'connect');
    const times: number[] = [];
    for (let index = 0; index < roundTrips; index += 1) times.push(await sendAndGet(socket, 1));
    const milliseconds = await sendAndGet(socket, bytesEachWay);
    const bitsPerSecond = (8 * bytesEachWay * 1000) / milliseconds;
    return {
      rtt_ms: times.sort((a, b) => a - b)[Math.floor(roundTrips / 2)] ?? milliseconds,
      // Both directions at once, as in a ring.
      send_bits_per_second: bitsPerSecond,
      receive_bits_per_second: bitsPerSecond,
    };
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

/** Milliseconds until the echo of all bytes has arrived. */
async function sendAndGet(socket: Socket, bytes: number): Promise<number> {
  const begin = performance.now();
  const back = new Promise<void>((resolve, reject) => {
    let left = bytes;
    const onData = (piece: Buffer): void => {
      left -= piece.length;
      if (left > 0) return;
      finish();
      resolve();
    };
    const onEnd = (error?: unknown): void => {
      finish();
      reject(error instanceof Error ? error : new Error('closed'));
    };
    const finish = (): void => {
      socket.off('data', onData).off('error', onEnd).off('close', onEnd);
    };
    socket.on('data', onData).once('error', onEnd).once('close', onEnd);
  });
  const piece = Buffer.alloc(Math.min(bytes, pieceBytes));
  for (let sent = 0; sent < bytes; sent += piece.length) {
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), back]);
  }
  await back;
  return performance.now() - begin;
}
