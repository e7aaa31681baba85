/**
 * Main's door: every message of every client comes through here, whatever carried it. It is parsed, answered by its
 * handler, cancelled when the client says so, and forgotten when the client goes.
 */
import { RinglabError, toWireError, type WireError } from '../../shared/base/errors.ts';
import { ClientMessage, type ServerTransport } from '../../shared/contract/rpc.ts';
import type { EventLog } from '../base/events.ts';
import { systemClock } from '../base/clock.ts';
import { createEventStream, type StreamClock } from './event-stream.ts';
import { invoke, type Handlers } from './handlers.ts';
import { phrase } from '../i18n/index.ts';

/** Requests of one client under way at once, cancelled ones whose work has not ended yet included. */
const maxInFlight = 256;
/** Messages that make no sense before the client is cut off. */
const maxMalformed = 20;

/** What is worth a line in the log: never arguments, which may hold secrets. */
export interface DispatchNote {
  readonly what: 'malformed' | 'cut_off' | 'failed';
  readonly request?: string;
  readonly error: WireError;
}

export interface DispatcherOptions {
  readonly handlers: Handlers;
  readonly events: EventLog;
  readonly log?: (note: DispatchNote) => void;
  /** Hold handlers to their results' schemas. On unless NODE_ENV is `production`. */
  readonly checkResults?: boolean;
  readonly clock?: StreamClock;
}

export interface Dispatcher {
  /** Serves one client until its wire closes. Returns how to end it from here. */
  serve(transport: ServerTransport): () => void;
}

export const checkResultsByDefault = (): boolean => process.env.NODE_ENV !== 'production';

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  return { serve: (transport) => new Client(options, transport).dispose };
}

class Client {
  readonly #options: DispatcherOptions;
  readonly #transport: ServerTransport;
  /** By request id. Cancelled ones stay, answered, until their work has ended. */
  readonly #underWay = new Map<number, { abort: AbortController; answered: boolean }>();
  readonly #endings: (() => void)[] = [];
  #malformed = 0;
  #closed = false;

  constructor(options: DispatcherOptions, transport: ServerTransport) {
    this.#options = options;
    this.#transport = transport;
    const { events, clock } = options;
    const stream = createEventStream(
      (batch) => transport.send({ type: 'events', events: batch }),
      clock ?? systemClock,
    );
    this.#endings.push(() => stream.close());
    transport.send({ type: 'hello', protocol: 1, session: events.session, lastSeq: events.lastSeq });
    this.#endings.push(events.subscribe((event) => stream.push(event)));
    this.#endings.push(transport.onClose(this.dispose));
    this.#endings.push(transport.onMessage((message) => this.#receive(message)));
  }

  /** Ends all that was done for this client. */
  readonly dispose = (): void => {
    if (this.#closed) return;
    this.#closed = true;
    for (const end of this.#endings) end();
    for (const { abort } of this.#underWay.values()) abort.abort(new RinglabError('cancelled'));
    this.#underWay.clear();
  };

  #receive(message: unknown): void {
    if (this.#closed) return;
    const parsed = ClientMessage.safeParse(message);
    if (!parsed.success) {
      this.#refuse(idOf(message), parsed.error.issues[0]?.message ?? '');
    } else if (parsed.data.type === 'cancel') {
      this.#cancel(parsed.data.id);
    } else if (this.#underWay.has(parsed.data.id)) {
      // Not answered: the answer would be taken for the first one's.
      this.#refuse(undefined, 'the id is in use');
    } else {
      void this.#answer(parsed.data);
    }
  }

  #refuse(id: number | undefined, reason: string): void {
    const error = toWireError(new RinglabError('malformed_message', {}, { detail: reason }));
    this.#malformed += 1;
    this.#options.log?.({ what: 'malformed', error });
    if (id !== undefined && !this.#underWay.has(id)) this.#transport.send({ type: 'failure', id, error });
    if (this.#malformed < maxMalformed) return;
    this.#options.log?.({ what: 'cut_off', error });
    this.dispose();
    this.#transport.close();
  }

  #cancel(id: number): void {
    const request = this.#underWay.get(id);
    // Its answer was already on the way.
    if (request === undefined || request.answered) return;
    const cancelled = new RinglabError('cancelled');
    request.answered = true;
    this.#transport.send({ type: 'failure', id, error: toWireError(cancelled) });
    request.abort.abort(cancelled);
  }

  async #answer({ id, name, args }: Extract<ClientMessage, { type: 'request' }>): Promise<void> {
    if (this.#underWay.size >= maxInFlight) {
      const problem = phrase('reasons.tooManyRequests', { count: maxInFlight });
      const error = toWireError(new RinglabError('bad_request', { path: '', problem }, { where: name }));
      this.#transport.send({ type: 'failure', id, error });
      return;
    }
    const { handlers, log } = this.#options;
    const request = { abort: new AbortController(), answered: false };
    this.#underWay.set(id, request);
    try {
      const check = this.#options.checkResults ?? checkResultsByDefault();
      const value = await invoke(handlers, name, args, { signal: request.abort.signal }, check);
      if (!request.answered && !this.#closed) this.#transport.send({ type: 'response', id, ok: true, value });
    } catch (thrown) {
      const error = toWireError(thrown);
      if (error.code === 'internal') log?.({ what: 'failed', request: name, error });
      if (!request.answered && !this.#closed) this.#transport.send({ type: 'failure', id, error });
    } finally {
      if (this.#underWay.get(id) === request) this.#underWay.delete(id);
    }
  }
}

/** The id of a message that is otherwise not understood. */
function idOf(message: unknown): number | undefined {
  if (typeof message !== 'object' || message === null || !('id' in message)) return undefined;
  const { id } = message;
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : undefined;
}
