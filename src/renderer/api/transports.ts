/** The two transports of a window: Electron's preload, or a WebSocket to the host that served the page. */
import { backOffMs, type BackOff } from '../../shared/base/back-off.ts';
import type { ClientMessage } from '../../shared/contract/rpc.ts';
import type { MendingTransport, WireProblem, WireStatus } from '../../shared/contract/wire-status.ts';
import { createPageSession } from './page-session.ts';
import type { Socket } from './socket.ts';

/** The API that the preload puts on `window`: it only passes messages. */
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

export interface SocketOptions {
  readonly connect: () => Socket;
  readonly setTimer: (run: () => void, milliseconds: number) => () => void;
  readonly now: () => number;
  readonly random: () => number;
}

const retries: BackOff = { firstMs: 400, maxMs: 10_000 };
const earlyLimit = 256;
/** Into how many looks the time is divided after which a silent socket counts as cut. */
const looks = 4;

/**
 * Connects at once, and again with back-off (0.4 s doubling to 10 s, with jitter) each time the socket closes, or is silent for
 * longer than its host ever is.
 */
export function webSocketTransport(options: SocketOptions): MendingTransport {
  const statusListeners = new Set<(status: WireStatus) => void>();
  const closeListeners = new Set<() => void>();
  let status: WireStatus = { state: 'connecting', everOpen: false };
  let socket: Socket | undefined;
  let listener: ((message: unknown) => void) | undefined;
  let early: unknown[] = [];
  let failures = 0;
  let cancelRetry: (() => void) | undefined;
  let cancelLook: (() => void) | undefined;
  let closed = false;

  const setStatus = (next: WireStatus): void => {
    status = next;
    for (const notify of [...statusListeners]) notify(next);
  };
  const receive = (message: unknown): void => {
    if (listener !== undefined) listener(message);
    else if (early.length < earlyLimit) early.push(message);
  };
  const lose = (problem?: WireProblem): void => {
    socket = undefined;
    cancelLook?.();
    failures += 1;
    const wait = backOffMs(failures, retries, options.random());
    cancelRetry = options.setTimer(open, wait);
    setStatus({
      state: 'lost',
      everOpen: status.everOpen,
      retryAt: options.now() + wait,
      ...(problem === undefined ? {} : { problem }),
    });
  };
  const open = (): void => {
    cancelRetry?.();
    cancelRetry = undefined;
    const own = options.connect();
    socket = own;
    let quiet = 0;
    // Looks without a message are counted, not the time: a page that was asleep or throttled has made none, and one that wakes
    // makes one before the messages that have come meanwhile.
    const look = (every: number): void => {
      cancelLook = options.setTimer(() => {
        if (socket !== own || closed) return;
        quiet += 1;
        if (quiet <= looks) look(every);
        else {
          own.close();
          lose();
        }
      }, every);
    };
    own.onopen = (silentMs) => {
      if (socket !== own) return;
      failures = 0;
      if (silentMs !== undefined) look(silentMs / looks);
      setStatus({ state: 'open', everOpen: true });
    };
    own.onmessage = (event) => {
      quiet = 0;
      const data: unknown = event.data;
      if (socket !== own || typeof data !== 'string') return;
      let message: unknown;
      try {
        message = JSON.parse(data);
      } catch {
        // A message that is not JSON is passed on; the client reports it as invalid.
        message = undefined;
      }
      receive(message);
    };
    own.onclose = (problem) => {
      if (socket === own && !closed) lose(problem);
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
      cancelLook?.();
      socket?.close();
      for (const notify of [...closeListeners]) notify();
    },
    status: () => status,
    onStatus(next) {
      statusListeners.add(next);
      return () => statusListeners.delete(next);
    },
    retryNow() {
      if (status.state !== 'lost') return;
      failures = 0;
      setStatus({ state: 'connecting', everOpen: status.everOpen });
      open();
    },
  };
}

/**
 * Removes the one-time code (`#code=…`) from the page's address, so that bookmarks and screenshots do not contain it.
 * The copy in the browser's history cannot be used again.
 */
export function takeCode(page: Window): string | undefined {
  const fragment = new URLSearchParams(page.location.hash.replace(/^#/, ''));
  const code = fragment.get('code');
  if (code === null) return undefined;
  fragment.delete('code');
  const rest = fragment.toString();
  page.history.replaceState(
    page.history.state,
    '',
    `${page.location.pathname}${page.location.search}${rest === '' ? '' : `#${rest}`}`,
  );
  return code === '' ? undefined : code;
}

/** The transport of this page: Electron's if the preload is present, otherwise a WebSocket to the host that served the page. */
export function pageTransport(page: Window): MendingTransport {
  if (page.ringlab !== undefined) return electronTransport(page.ringlab);
  const session = createPageSession({
    location: page.location,
    sessionStorage: page.sessionStorage,
    fetch: (path, init) => page.fetch(path, init),
    openSocket: (address, protocols) => new WebSocket(address, protocols),
    keepsTicket: import.meta.env.DEV,
  });
  const first = takeCode(page);
  if (first !== undefined) session.offer(first);
  const transport = webSocketTransport({
    connect: session.connect,
    setTimer: (run, milliseconds) => {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
    now: () => Date.now(),
    random: () => Math.random(),
  });
  // Pasting a new address into a tab that shows this page does not reload it.
  page.addEventListener('hashchange', () => {
    const code = takeCode(page);
    if (code === undefined || transport.status().state === 'open') return;
    session.offer(code);
    transport.retryNow();
  });
  return transport;
}
