/** The two wires a window can have: Electron's preload, or a WebSocket to the host that served the page. */
import type { ClientMessage } from '../../shared/rpc.ts';
import type { MendingTransport, WireStatus } from '../../shared/wire-status.ts';

/** What the preload puts on `window`: messages, and nothing more. */
export interface PreloadBridge {
  send(message: ClientMessage): void;
  onMessage(listener: (message: unknown) => void): (() => void) | undefined;
}

declare global {
  interface Window {
    readonly ringlab?: PreloadBridge;
  }
}

export function electronTransport(bridge: PreloadBridge): MendingTransport {
  const status: WireStatus = { state: 'open', everOpen: true };
  return {
    send: (message) => bridge.send(message),
    onMessage: (listener) => bridge.onMessage(listener) ?? (() => undefined),
    onClose: () => () => undefined,
    close: () => undefined,
    status: () => status,
    onStatus: () => () => undefined,
    retryNow: () => undefined,
  };
}

/** The part of a browser's WebSocket that is used, so that tests can stand in for it. */
export interface Socket {
  onopen: ((event: Event) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  onmessage: ((message: MessageEvent) => void) | null;
  send(text: string): void;
  close(): void;
}

export interface SocketOptions {
  readonly connect: () => Socket;
  readonly setTimer: (run: () => void, milliseconds: number) => () => void;
  readonly now: () => number;
  readonly random: () => number;
}

const firstDelay = 300;
const longestDelay = 10_000;
const earlyLimit = 256;

/** Connects at once, and again with back-off (0.3 s doubling to 10 s, with jitter) each time the socket closes. */
export function webSocketTransport(options: SocketOptions): MendingTransport {
  const statusListeners = new Set<(status: WireStatus) => void>();
  const closeListeners = new Set<() => void>();
  let status: WireStatus = { state: 'connecting', everOpen: false };
  let socket: Socket | undefined;
  let listener: ((message: unknown) => void) | undefined;
  let early: unknown[] = [];
  let delay = firstDelay;
  let cancelRetry: (() => void) | undefined;
  let closed = false;

  const setStatus = (next: WireStatus): void => {
    status = next;
    for (const tell of [...statusListeners]) tell(next);
  };
  const receive = (message: unknown): void => {
    if (listener !== undefined) listener(message);
    else if (early.length < earlyLimit) early.push(message);
  };
  const open = (): void => {
    cancelRetry?.();
    cancelRetry = undefined;
    const own = options.connect();
    socket = own;
    own.onopen = () => {
      if (socket !== own) return;
      delay = firstDelay;
      setStatus({ state: 'open', everOpen: true });
    };
    own.onmessage = (event) => {
      const data: unknown = event.data;
      if (socket !== own || typeof data !== 'string') return;
      let message: unknown;
      try {
        message = JSON.parse(data);
      } catch {
        // A message that is not JSON: the client says that it cannot be understood.
        message = undefined;
      }
      receive(message);
    };
    own.onclose = () => {
      if (socket !== own || closed) return;
      socket = undefined;
      const wait = Math.round(delay * (0.75 + options.random() / 2));
      delay = Math.min(delay * 2, longestDelay);
      cancelRetry = options.setTimer(open, wait);
      setStatus({ state: 'lost', everOpen: status.everOpen, retryAt: options.now() + wait });
    };
  };
  open();

  return {
    send(message) {
      if (status.state === 'open') socket?.send(JSON.stringify(message));
    },
    onMessage(next) {
      listener = next;
      for (const message of early) next(message);
      early = [];
      return () => {
        listener = undefined;
      };
    },
    onClose(next) {
      closeListeners.add(next);
      return () => closeListeners.delete(next);
    },
    close() {
      closed = true;
      cancelRetry?.();
      socket?.close();
      for (const tell of [...closeListeners]) tell();
    },
    status: () => status,
    onStatus(next) {
      statusListeners.add(next);
      return () => statusListeners.delete(next);
    },
    retryNow() {
      if (status.state !== 'lost') return;
      delay = firstDelay;
      setStatus({ state: 'connecting', everOpen: status.everOpen });
      open();
    },
  };
}

const tokenKey = 'ringlab.token';

/**
 * The secret that the host printed in the page's address (`#token=…`). It is kept for this tab alone and taken
 * out of the address bar, so that it does not end in a bookmark or a screenshot.
 */
export function takeToken(page: Window): string {
  const fragment = new URLSearchParams(page.location.hash.replace(/^#/, ''));
  const fresh = fragment.get('token');
  if (fresh !== null && fresh !== '') {
    page.sessionStorage.setItem(tokenKey, fresh);
    fragment.delete('token');
    const rest = fragment.toString();
    page.history.replaceState(
      page.history.state,
      '',
      `${page.location.pathname}${page.location.search}${rest === '' ? '' : `#${rest}`}`,
    );
    return fresh;
  }
  return page.sessionStorage.getItem(tokenKey) ?? '';
}

/** The wire of this page: Electron's where the preload is there, else the host's that served it. */
export function pageTransport(page: Window): MendingTransport {
  if (page.ringlab !== undefined) return electronTransport(page.ringlab);
  const token = takeToken(page);
  const address = new URL('/ws', page.location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  return webSocketTransport({
    // An empty token is no valid subprotocol; without one the host refuses, which the banner explains.
    connect: () => new WebSocket(address, token === '' ? ['ringlab'] : ['ringlab', `ringlab.token.${token}`]),
    setTimer: (run, milliseconds) => {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
    now: () => Date.now(),
    random: () => Math.random(),
  });
}
