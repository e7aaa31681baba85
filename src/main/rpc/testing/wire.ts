/**
 * For tests: the client's end of a transport in memory, and a set of handlers of which a test defines only those it
 * needs.
 */
import { requests, type RequestName } from '../../../shared/contract/api.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { ServerMessage, ServerTransport } from '../../../shared/contract/rpc.ts';
import type { Handlers } from '../handlers.ts';

export interface Wire {
  readonly transport: ServerTransport;
  readonly sent: ServerMessage[];
  readonly open: boolean;
  say(message: unknown): void;
  drop(): void;
}

export function makeWire(): Wire {
  const sent: ServerMessage[] = [];
  const listeners = new Set<(message: unknown) => void>();
  const closers = new Set<() => void>();
  let open = true;
  const drop = (): void => {
    if (!open) return;
    open = false;
    for (const closed of [...closers]) closed();
  };
  return {
    sent,
    get open() {
      return open;
    },
    say: (message) => {
      for (const listener of [...listeners]) listener(message);
    },
    drop,
    transport: {
      send: (message) => {
        if (open) sent.push(structuredClone(message));
      },
      onMessage: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      onClose: (closed) => {
        closers.add(closed);
        return () => closers.delete(closed);
      },
      close: drop,
    },
  };
}

/** Every handler that the test does not define rejects, so that an unexpected request is noticed. */
export function handlersWith(given: Partial<Handlers>): Handlers {
  const refused = Object.fromEntries(
    (Object.keys(requests) as RequestName[]).map((name) => [
      name,
      () => Promise.reject(new RinglabError('not_found', { what: 'handler', id: name })),
    ]),
  );
  // Every name has a handler, and the defined ones have the right types.
  return { ...refused, ...given } as Handlers;
}

/** Runs pending promise callbacks. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
