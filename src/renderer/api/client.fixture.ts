/** For tests: a transport that the test answers itself, and a client whose requests are answered by functions. */
import type {
  AnyEvent,
  EventData,
  EventName,
  RequestArgs,
  RequestName,
  RequestResult,
} from '../../shared/contract/api.ts';
import { isRequestName } from '../../shared/contract/api.ts';
import { toWireError } from '../../shared/base/errors.ts';
import type { ClientMessage, ServerMessage } from '../../shared/contract/rpc.ts';
import { createClient, type LabClient } from '../../shared/contract/api-client.ts';
import type { MendingTransport, WireStatus } from '../../shared/contract/wire-status.ts';

export interface TestWire {
  readonly transport: MendingTransport;
  /** The messages that the client sent, in order. */
  readonly sent: ClientMessage[];
  /** Sends a message as main would. Any value, since tests also send invalid ones. */
  receive(message: unknown): void;
  setStatus(status: WireStatus): void;
}

export function testWire(): TestWire {
  const sent: ClientMessage[] = [];
  let listener: ((message: unknown) => void) | undefined;
  const statusListeners = new Set<(status: WireStatus) => void>();
  let status: WireStatus = { state: 'open', everOpen: true };
  return {
    sent,
    receive: (message) => listener?.(message),
    setStatus(next) {
      status = next;
      for (const notify of [...statusListeners]) notify(next);
    },
    transport: {
      send: (message) => sent.push(message),
      onMessage(next) {
        listener = next;
        return () => (listener = undefined);
      },
      onClose: () => () => undefined,
      close: () => undefined,
      status: () => status,
      onStatus(next) {
        statusListeners.add(next);
        return () => statusListeners.delete(next);
      },
      retryNow: () => undefined,
    },
  };
}

export const hello = (lastSeq: number, session = 'one'): ServerMessage => ({
  type: 'hello',
  protocol: 1,
  lastSeq,
  session,
});

export type Answers = {
  [N in RequestName]?: (args: RequestArgs<N>) => RequestResult<N> | Promise<RequestResult<N>>;
};

export interface StandIn {
  readonly client: LabClient;
  readonly calls: { readonly name: string; readonly args: unknown }[];
  /** Sends any message as main would. */
  receive(message: unknown): void;
  setStatus(status: WireStatus): void;
  emit<N extends EventName>(name: N, data: EventData<N>): void;
}

/** A client over a real transport. `answers` holds main's replies; requests without one fail with `unknown_request`. */
export function standIn(answers: Answers): StandIn {
  const wire = testWire();
  const calls: { name: string; args: unknown }[] = [];
  let seq = 0;
  const push = wire.sent.push.bind(wire.sent);
  wire.transport.send = (message) => {
    push(message);
    if (message.type !== 'request') return;
    calls.push({ name: message.name, args: message.args });
    void answer(message.id, message.name, message.args);
  };
  const answer = async (id: number, name: string, args: unknown): Promise<void> => {
    // The pair of name and arguments came through `call`, which keeps their types matched.
    const given = isRequestName(name)
      ? (answers[name] as ((args: unknown) => unknown) | undefined)
      : undefined;
    try {
      if (given === undefined) throw new Error(`the test has no answer to ${name}`);
      wire.receive({ type: 'response', id, ok: true, value: await given(args) });
    } catch (error) {
      wire.receive({ type: 'failure', id, error: toWireError(error) });
    }
  };
  const client = createClient(wire.transport);
  wire.receive(hello(0));
  return {
    client,
    calls,
    receive: (message) => wire.receive(message),
    setStatus: (status) => wire.setStatus(status),
    emit(name, data) {
      seq += 1;
      const event = { seq, name, data } satisfies { seq: number; name: EventName; data: AnyEvent['data'] };
      wire.receive({ type: 'events', events: [event] });
    },
  };
}
