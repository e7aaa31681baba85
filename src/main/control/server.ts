/**
 * Serves the API of the app that holds a data folder to other processes of the same user: the command line beside an
 * open window.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { ServerTransport } from '../../shared/contract/rpc.ts';
import type { Platform } from '../base/platform.ts';
import { ClientGreeting, controlProtocol, type ControlFile, type ServerGreeting } from './greeting.ts';
import { lineTransport, maxMessageBytes, nextMessage } from './lines.ts';
import {
  controlFile,
  folderIdentity,
  listenPrivately,
  publish,
  readPublished,
  removePlace,
} from './place.ts';

const maxClients = 64;
const greetWithinMs = 10_000;

export interface Control {
  /** Number of clients whose user can be asked. */
  answering(): number;
  close(): Promise<void>;
}

export interface ControlOptions {
  readonly dataFolder: string;
  readonly version: string;
  readonly kind: Platform['kind'];
  serve(transport: ServerTransport): void;
}

/** Rejects with `file_unwritable` where no socket can be created: the app works without one. */
export async function serveControl(options: ControlOptions): Promise<Control> {
  const { dataFolder, version, kind } = options;
  const secret = randomBytes(32).toString('base64url');
  const clients = new Map<Socket, { answers: boolean }>();
  const isSecret = (given: string): boolean => {
    const [a, b] = [Buffer.from(given), Buffer.from(secret)];
    return a.length === b.length && timingSafeEqual(a, b);
  };

  const greet = async (socket: Socket): Promise<void> => {
    const limits = { messageBytes: 4096 };
    const wire = lineTransport(socket, limits);
    const parsed = ClientGreeting.safeParse(await nextMessage(wire, greetWithinMs));
    if (!parsed.success || !isSecret(parsed.data.secret)) {
      socket.destroy();
      return;
    }
    const welcome = parsed.data.protocol === controlProtocol && parsed.data.version === version;
    wire.send({ welcome, version, pid: process.pid, kind, folder } satisfies ServerGreeting);
    if (!welcome) {
      socket.end();
      return;
    }
    clients.set(socket, { answers: parsed.data.answers });
    limits.messageBytes = maxMessageBytes;
    // The dispatcher parses all further messages.
    options.serve(wire);
  };

  const server = createServer((socket) => {
    if (clients.size >= maxClients) {
      socket.destroy();
      return;
    }
    clients.set(socket, { answers: false });
    socket.once('close', () => clients.delete(socket));
    greet(socket).catch(() => socket.destroy());
  });
  server.on('error', () => undefined);
  const folder = await folderIdentity(dataFolder);
  const address = await listenPrivately(server, dataFolder);
  const file: ControlFile = { protocol: controlProtocol, version, pid: process.pid, kind, address, secret };
  const stop = async (): Promise<void> => {
    for (const socket of clients.keys()) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    await removePlace(address);
  };
  await publish(dataFolder, file).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    answering: () => [...clients.values()].filter(({ answers }) => answers).length,
    async close() {
      const now = await readPublished(dataFolder).catch(() => undefined);
      if (isDeepStrictEqual(now, file))
        await rm(controlFile(dataFolder), { force: true }).catch(() => undefined);
      await stop();
    },
  };
}
