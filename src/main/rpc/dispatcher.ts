/**
 * Dispatches every message of every client, over any transport: parses it, calls its handler, cancels it on request,
 * and cleans up when the client disconnects.
 */
import { RinglabError, toWireError, type WireError } from '../../shared/base/errors.ts';
import type { Phrase } from '../../shared/base/phrase.ts';
import { ClientMessage, type ServerTransport } from '../../shared/contract/rpc.ts';
import type { EventLog } from '../base/events.ts';
import { systemClock } from '../base/clock.ts';
import { createEventStream, type StreamClock } from './event-stream.ts';
import { invoke, type Handlers } from './handlers.ts';
import { phrase } from '../i18n/index.ts';

/** Maximum number of concurrent requests of one client, including cancelled ones whose work has not ended. */
const maxInFlight = 256;
/** Maximum number of invalid messages before the client is disconnected. */
const maxMalformed = 20;

/** An event for the log. Never contains arguments, which may hold secrets. */
export interface DispatchNote {
  readonly what: 'malformed' | 'cut_off' | 'failed';
  readonly request?: string;
  readonly error: WireError;
}

export interface DispatcherOptions {
  readonly handlers: Handlers;
  readonly events: EventLog;
  readonly log?: (note: DispatchNote) => void;
  /** Validates handlers' results against their schemas. On unless NODE_ENV is `production`. */
  readonly checkResults?: boolean;
  readonly clock?: StreamClock;
}

export interface Dispatcher {
  /** Serves one client until its wire closes. Returns a function that disconnects it. */
  serve(transport: ServerTransport): () => void;
}

export const checkResultsByDefault = (): boolean => process.env.NODE_ENV !== 'production';

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  return { serve: (transport) => new Client(options, transport).dispose };
}

class Client {
  readonly #options: DispatcherOptions;
  readonly #transport: ServerTransport;
  /** By request id. Cancelled requests stay, marked as answered, until their work has ended. */
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

  /** Cancels and forgets everything of this client. */
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
      // Not answered: the client would take the answer for the first request's.
      this.#refuse(undefined, phrase('reasons.idInUse'));
    } else {
      void this.#answer(parsed.data);
    }
  }

  #refuse(id: number | undefined, reason: Phrase | string): void {
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
    // Its answer has already been sent.
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

/** The id of a message that is otherwise invalid. */
function idOf(message: unknown): number | undefined {
  if (typeof message !== 'object' || message === null || !('id' in message)) return undefined;
  const { id } = message;
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : undefined;
}
