/** Electron's IPC as a ServerTransport: one connection for each page that a window loads. */
import type { IpcMain, IpcMainEvent, WebContents } from 'electron';
import type { ServerMessage, ServerTransport } from '../../../shared/contract/rpc.ts';
import { isTrustedSender } from './guard.ts';

/** Sent by the preload when its page is listening. */
export const openChannel = 'ringlab:open';
export const messageChannel = 'ringlab:message';

/** Maximum number of messages buffered until the dispatcher listens. */
const maxEarly = 64;

interface Wire {
  readonly transport: ServerTransport;
  receive(message: unknown): void;
  end(): void;
}

function createWire(contents: WebContents): Wire {
  const early: unknown[] = [];
  const closeListeners = new Set<() => void>();
  let listener: ((message: unknown) => void) | undefined;
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    for (const notify of [...closeListeners]) notify();
    closeListeners.clear();
  };
  return {
    end,
    receive(message) {
      if (ended) return;
      if (listener !== undefined) listener(message);
      else if (early.length < maxEarly) early.push(message);
    },
    transport: {
      send(message: ServerMessage) {
        if (!ended && !contents.isDestroyed()) contents.send(messageChannel, message);
      },
      onMessage(next) {
        listener = next;
        for (const message of early.splice(0)) next(message);
        return () => {
          listener = undefined;
        };
      },
      onClose(closed) {
        closeListeners.add(closed);
        return () => closeListeners.delete(closed);
      },
      close: end,
    },
  };
}

export interface WireOptions {
  readonly ipc: Pick<IpcMain, 'on' | 'off'>;
  readonly contents: WebContents;
  /** Called for each page; may wait for the app, messages are buffered meanwhile. */
  serve(transport: ServerTransport): void;
  /** A message from another frame: refused and logged. */
  onRefused(address: string): void;
}

/** Serves a window's pages until the window is closed: a reload closes the old connection and opens a new one. */
export function serveWindow({ ipc, contents, serve, onRefused }: WireOptions): void {
  let wire: Wire | undefined;
  const trusted = (event: IpcMainEvent): boolean => {
    if (event.sender !== contents) return false;
    if (isTrustedSender(event, contents)) return true;
    onRefused(event.senderFrame?.url ?? 'a frame that is gone');
    return false;
  };
  const onOpen = (event: IpcMainEvent): void => {
    if (!trusted(event)) return;
    wire?.end();
    wire = createWire(contents);
    serve(wire.transport);
  };
  const onMessage = (event: IpcMainEvent, message: unknown): void => {
    if (trusted(event)) wire?.receive(message);
  };
  ipc.on(openChannel, onOpen);
  ipc.on(messageChannel, onMessage);
  contents.on('render-process-gone', () => wire?.end());
  contents.once('destroyed', () => {
    wire?.end();
    ipc.off(openChannel, onOpen);
    ipc.off(messageChannel, onMessage);
  });
}
