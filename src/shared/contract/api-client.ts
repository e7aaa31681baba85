/**
 * Client of LabApi over a transport: numbers requests, matches answers, cancels, and delivers events in order.
 * Validates everything that it receives; the window and the command line rely on its types.
 */
import {
  events as eventSchemas,
  requests,
  type AnyEvent,
  type CancelSignal,
  type EventName,
  type LabApi,
  type RequestArgs,
  type RequestName,
  type RequestResult,
} from './api.ts';
import { fromWireError, RinglabError } from '../base/errors.ts';
import { ServerMessage, type ClientMessage, type EventEnvelope } from './rpc.ts';
import type { MendingTransport, WireStatus } from './wire-status.ts';

export interface LabClient extends LabApi {
  /** Some events are lost (a gap, another process): the listener must load its state again. */
  onResync(listener: () => void): () => void;
  /** Messages that could not be parsed, to report to the user. */
  onProblem(listener: (error: RinglabError) => void): () => void;
  status(): WireStatus;
  onStatus(listener: (status: WireStatus) => void): () => void;
  retryNow(): void;
  close(): void;
}

interface Pending {
  readonly name: RequestName;
  readonly message: ClientMessage;
  sent: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: RinglabError) => void;
}

/** Maximum number of requests that wait for the connection. */
const outboxLimit = 500;
/** Maximum number of events that wait while a gap is filled; beyond it the client resynchronises. */
const heldLimit = 2000;

export function createClient(transport: MendingTransport): LabClient {
  const pending = new Map<number, Pending>();
  const subscribers = new Set<(event: AnyEvent) => void>();
  const resyncListeners = new Set<() => void>();
  const problemListeners = new Set<(error: RinglabError) => void>();
  let nextId = 1;
  let greeted = false;
  let session: string | undefined;
  let lastSeq = 0;
  let held: EventEnvelope[] | undefined;
  /** A gap could not be filled because the connection broke: the next greeting must resynchronise. */
  let lost = false;

  const problem = (error: RinglabError): void => {
    for (const notify of [...problemListeners]) notify(error);
  };
  const resync = (): void => {
    for (const notify of [...resyncListeners]) notify();
  };

  const call = <N extends RequestName>(
    name: N,
    args: RequestArgs<N>,
    signal?: CancelSignal,
  ): Promise<RequestResult<N>> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(new RinglabError('cancelled'));
        return;
      }
      if (!greeted && pending.size >= outboxLimit) {
        reject(new RinglabError('connection_lost', { host: 'Ringlab' }));
        return;
      }
      const id = nextId;
      nextId += 1;
      const message: ClientMessage = { type: 'request', id, name, args };
      const cancel = (): void => {
        pending.delete(id);
        if (entry.sent) transport.send({ type: 'cancel', id });
        reject(new RinglabError('cancelled'));
      };
      const settled = (): void => {
        pending.delete(id);
        signal?.removeEventListener('abort', cancel);
      };
      const entry: Pending = {
        name,
        message,
        sent: false,
        resolve: (value) => {
          settled();
          // `answer` parsed the value with the schema of this very name.
          resolve(value as RequestResult<N>);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      pending.set(id, entry);
      signal?.addEventListener('abort', cancel);
      if (greeted) send(entry);
    });

  const send = (entry: Pending): void => {
    entry.sent = true;
    transport.send(entry.message);
  };

  const answer = (id: number, value: unknown): void => {
    const entry = pending.get(id);
    if (entry === undefined) return;
    const parsed = requests[entry.name].result.safeParse(value);
    if (parsed.success) entry.resolve(parsed.data);
    else {
      const issue = parsed.error.issues[0];
      entry.reject(
        new RinglabError(
          'malformed_message',
          {},
          { where: entry.name, detail: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}` },
        ),
      );
    }
  };

  const deliver = (envelope: EventEnvelope): void => {
    // A newer main may send events that this client does not know: their `seq` counts, and they are skipped.
    if (!Object.hasOwn(eventSchemas, envelope.name)) return;
    const name = envelope.name as EventName;
    const parsed = eventSchemas[name].safeParse(envelope.data);
    if (!parsed.success) {
      problem(
        new RinglabError('malformed_message', {}, { where: name, detail: parsed.error.issues[0]?.message }),
      );
      return;
    }
    // The schema belongs to the name; TypeScript cannot infer that the pair is one member of the union.
    const event = { seq: envelope.seq, name, data: parsed.data } as AnyEvent;
    for (const notify of [...subscribers]) {
      try {
        notify(event);
      } catch (error) {
        // An exception of one listener must not lose the event for the others, nor stop the sequence.
        problem(new RinglabError('internal', {}, { where: name, detail: String(error), cause: error }));
      }
    }
  };

  const take = (batch: readonly EventEnvelope[]): void => {
    if (held !== undefined) {
      held.push(...batch);
      if (held.length > heldLimit) held = held.slice(-heldLimit);
      return;
    }
    for (const [index, envelope] of batch.entries()) {
      if (envelope.seq <= lastSeq) continue;
      if (envelope.seq > lastSeq + 1) {
        void fillGap(batch.slice(index));
        return;
      }
      lastSeq = envelope.seq;
      deliver(envelope);
    }
  };

  const takeHeld = (): EventEnvelope[] => {
    const waiting = held ?? [];
    held = undefined;
    return waiting;
  };
  const fillGap = async (rest: readonly EventEnvelope[]): Promise<void> => {
    if (session === undefined) return;
    held = [...rest];
    const asked = session;
    try {
      const since = await call('events.since', { session: asked, seq: lastSeq });
      if (asked !== session) return;
      const waiting = takeHeld();
      if (since.complete) take(since.events);
      if (!since.complete || lastSeq < since.lastSeq) {
        lastSeq = Math.max(lastSeq, since.lastSeq);
        resync();
      }
      take(waiting);
    } catch {
      if (asked !== session) return;
      // The connection broke or main has no log: start from the current events and resynchronise.
      const waiting = takeHeld();
      lastSeq = Math.max(lastSeq, ...waiting.map((envelope) => envelope.seq));
      if (greeted) resync();
      else lost = true;
    }
  };
  const greet = (hello: { lastSeq: number; session: string }): void => {
    greeted = true;
    const again = session !== undefined;
    const other = again && session !== hello.session;
    if (!again || other) {
      session = hello.session;
      lastSeq = hello.lastSeq;
      held = undefined;
    }
    for (const entry of [...pending.values()]) if (!entry.sent) send(entry);
    if (other || (again && lost)) {
      lost = false;
      lastSeq = Math.max(lastSeq, hello.lastSeq);
      resync();
    } else if (hello.lastSeq > lastSeq && held === undefined) void fillGap([]);
  };

  const stopMessages = transport.onMessage((raw) => {
    const parsed = ServerMessage.safeParse(raw);
    if (!parsed.success) {
      problem(new RinglabError('malformed_message', {}, { detail: parsed.error.issues[0]?.message }));
      return;
    }
    const message = parsed.data;
    switch (message.type) {
      case 'hello':
        greet(message);
        break;
      case 'response':
        answer(message.id, message.value);
        break;
      case 'failure':
        pending.get(message.id)?.reject(fromWireError(message.error));
        break;
      case 'events':
        take(message.events);
        break;
    }
  });
  const breakOff = (): void => {
    greeted = false;
    for (const entry of [...pending.values()]) {
      // Requests that were not sent stay in the queue: they had no effect yet.
      if (entry.sent) entry.reject(new RinglabError('connection_lost', { host: 'Ringlab' }));
    }
  };
  const stopStatus = transport.onStatus((status) => {
    if (status.state === 'lost') breakOff();
  });

  const listen = <T>(set: Set<T>, listener: T): (() => void) => {
    set.add(listener);
    return () => set.delete(listener);
  };
  return {
    call,
    subscribe: (listener) => listen(subscribers, listener),
    onResync: (listener) => listen(resyncListeners, listener),
    onProblem: (listener) => listen(problemListeners, listener),
    status: () => transport.status(),
    onStatus: (listener) => transport.onStatus(listener),
    retryNow: () => transport.retryNow(),
    close() {
      stopMessages();
      stopStatus();
      breakOff();
      transport.close();
    },
  };
}
