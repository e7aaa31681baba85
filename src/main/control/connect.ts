/**
 * Client of the control channel: connects a command to the app that holds the data folder, which is another process
 * of the same user.
 */
import { connect, type Socket } from 'node:net';
import { createClient, type LabClient } from '../../shared/contract/api-client.ts';
import { RinglabError } from '../../shared/base/errors.ts';
import type { ClientMessage } from '../../shared/contract/rpc.ts';
import type { MendingTransport, WireStatus } from '../../shared/contract/wire-status.ts';
import { controlProtocol, ServerGreeting, type ClientGreeting } from './greeting.ts';
import { lineTransport, nextMessage } from './lines.ts';
import { folderIdentity, mustBeOwnSocket, readPublished } from './place.ts';

const connectWithinMs = 5000;
const greetWithinMs = 10_000;

export interface ControlClient {
  readonly api: LabClient;
  readonly owner: { readonly pid: number; readonly kind: ServerGreeting['kind'] };
  /** Resolves when the connection to that app is lost. */
  readonly lost: Promise<void>;
  close(): void;
}

export interface ConnectOptions {
  readonly version: string;
  /** Whether this client's user can be asked for passwords. */
  readonly answers: boolean;
}

const open = (address: string): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect(address);
    const timer = setTimeout(() => socket.destroy(new Error('no answer')), connectWithinMs);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', failed);
      resolve(socket);
    });
    const failed = (): void => {
      clearTimeout(timer);
      resolve(undefined);
    };
    socket.once('error', failed);
  });

/**
 * Undefined where no app listens. Rejects with `app_version_differs` where the app has another version, and with
 * `control_unsafe` where another user could have written the files in the data folder.
 */
export async function connectControl(
  dataFolder: string,
  { version, answers }: ConnectOptions,
): Promise<ControlClient | undefined> {
  const file = await readPublished(dataFolder);
  if (file === undefined) return undefined;
  try {
    await mustBeOwnSocket(file.address);
  } catch (error) {
    if (error instanceof RinglabError) throw error;
    return undefined;
  }
  const socket = await open(file.address);
  if (socket === undefined) return undefined;
  const wire = lineTransport<ClientMessage | ClientGreeting>(socket);
  wire.send({ protocol: controlProtocol, version, secret: file.secret, answers });
  const greeting = ServerGreeting.safeParse(await nextMessage(wire, greetWithinMs));
  if (!greeting.success) {
    socket.destroy();
    return undefined;
  }
  const { welcome, pid, kind, version: theirs } = greeting.data;
  if (greeting.data.folder !== (await folderIdentity(dataFolder))) {
    socket.destroy();
    return undefined;
  }
  if (!welcome) {
    socket.destroy();
    throw new RinglabError('app_version_differs', { pid, theirs, ours: version }, { where: dataFolder });
  }
  const lost = new Promise<void>((resolve) => wire.onClose(resolve));
  const api = createClient(onceOpen(wire));
  const gone = lost.then(() => {
    throw new RinglabError('connection_lost', { host: 'Ringlab' }, { where: `pid ${pid}` });
  });
  gone.catch(() => undefined);
  return {
    // An API client queues calls until its wire reconnects; this one never does.
    api: { ...api, call: (name, args, signal) => Promise.race([api.call(name, args, signal), gone]) },
    owner: { pid, kind },
    lost,
    close() {
      api.close();
      socket.destroy();
    },
  };
}

/** A wire that is open and never reconnects. */
function onceOpen(wire: ReturnType<typeof lineTransport<ClientMessage>>): MendingTransport {
  let status: WireStatus = { state: 'open', everOpen: true };
  wire.onClose(() => (status = { state: 'lost', everOpen: true }));
  return {
    ...wire,
    status: () => status,
    onStatus: (listener) => wire.onClose(() => listener({ state: 'lost', everOpen: true })),
    retryNow: () => undefined,
  };
}
