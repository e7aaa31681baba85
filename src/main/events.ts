/** The one place that events come from: numbers them, keeps the newest for clients that missed some. */
import { randomUUID } from 'node:crypto';
import type { AnyEvent, EventData, EventName } from '../shared/api.ts';

const kept = 5000;

export interface EventLog {
  /** Names this process's sequence: a client that knows another session starts anew. */
  readonly session: string;
  readonly lastSeq: number;
  emit<N extends EventName>(name: N, data: EventData<N>): void;
  subscribe(listener: (event: AnyEvent) => void): () => void;
  /** Undefined where the log no longer reaches back so far. */
  since(session: string, seq: number): AnyEvent[] | undefined;
}

export function createEventLog(): EventLog {
  const session = randomUUID();
  const listeners = new Set<(event: AnyEvent) => void>();
  let log: AnyEvent[] = [];
  let lastSeq = 0;
  return {
    session,
    get lastSeq() {
      return lastSeq;
    },
    emit(name, data) {
      lastSeq += 1;
      // The generic pair (name, data) is one member of the union; TypeScript cannot see that they belong together.
      const event = { seq: lastSeq, name, data } as unknown as AnyEvent;
      log.push(event);
      if (log.length > 2 * kept) log = log.slice(-kept);
      for (const listener of [...listeners]) listener(event);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    since(askedSession, seq) {
      if (askedSession !== session || seq > lastSeq) return undefined;
      if (seq === lastSeq) return [];
      const first = log[0]?.seq ?? lastSeq + 1;
      return seq + 1 < first ? undefined : log.slice(seq + 1 - first);
    },
  };
}
