/** The event log: numbers all events and keeps the newest for clients that missed some. */
import { randomUUID } from 'node:crypto';
import type { AnyEvent, EventData, EventName } from '../../shared/contract/api.ts';
import { skippedEvent, type EventEnvelope } from '../../shared/contract/rpc.ts';

const maxKept = 5000;
/** A larger batch of points is not kept: a client that missed it asks the store, as `truncated` requests. */
const maxPointsKept = 100;
/**
 * Maximum number of points in all kept events; older events keep their number and become `truncated`. Points are most of a
 * long run's events.
 */
const maxPointsTogether = 4000;

interface MissedEvents {
  readonly complete: boolean;
  readonly events: EventEnvelope[];
  readonly lastSeq: number;
}

export interface EventLog {
  /** Identifies this process's sequence: a client with another session starts over. */
  readonly session: string;
  readonly lastSeq: number;
  emit<N extends EventName>(name: N, data: EventData<N>): void;
  subscribe(listener: (event: AnyEvent) => void): () => void;
  /** The events that a client missed; not complete, and empty, where the log does not reach back that far. */
  since(session: string, seq: number): MissedEvents;
}

export function createEventLog(): EventLog {
  const session = randomUUID();
  const listeners = new Set<(event: AnyEvent) => void>();
  let log: EventEnvelope[] = [];
  /** The seq of the newest event of each subject: older ones are obsolete and keep only their number. */
  const newest = new Map<string, number>();
  let lastSeq = 0;
  /** Points in the log, and the seq of the first event that still has its points. */
  let points = 0;
  let pointsFrom = 1;
  const keepPoints = (event: EventEnvelope): void => {
    points += pointsIn(event);
    for (; points > maxPointsTogether && pointsFrom < event.seq; pointsFrom += 1) {
      const index = pointsFrom - (log[0]?.seq ?? 0);
      const older = log[index];
      if (older === undefined || pointsIn(older) === 0) continue;
      points -= pointsIn(older);
      log[index] = withoutPoints(older);
    }
  };
  const forgetOlder = (event: AnyEvent): void => {
    const subject = subjectOf(event);
    if (subject === undefined) return;
    const index = (newest.get(subject) ?? 0) - (log[0]?.seq ?? 0);
    const older = log[index];
    if (older !== undefined) log[index] = { seq: older.seq, name: skippedEvent, data: {} };
    newest.set(subject, event.seq);
  };
  return {
    session,
    get lastSeq() {
      return lastSeq;
    },
    emit(name, data) {
      lastSeq += 1;
      // The generic pair (name, data) is one member of the union, which TypeScript cannot infer.
      const event = { seq: lastSeq, name, data } as unknown as AnyEvent;
      forgetOlder(event);
      const kept = lean(event);
      log.push(kept);
      keepPoints(kept);
      if (log.length > 2 * maxKept) {
        for (const gone of log.slice(0, -maxKept)) points -= pointsIn(gone);
        log = log.slice(-maxKept);
        for (const [subject, seq] of newest) if (seq < lastSeq - maxKept) newest.delete(subject);
      }
      for (const listener of [...listeners]) listener(event);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    since(askedSession, seq) {
      const first = log[0]?.seq ?? lastSeq + 1;
      const complete = askedSession === session && seq <= lastSeq && seq + 1 >= first;
      return { complete, events: complete ? log.slice(seq + 1 - first) : [], lastSeq };
    },
  };
}

function lean(event: AnyEvent): EventEnvelope {
  if (event.name === 'run.points' && event.data.points.length > maxPointsKept) {
    return withoutPoints(event);
  }
  // The terminal service keeps the output itself.
  return event.name === 'terminal.data' ? { ...event, data: { ...event.data, text: '' } } : event;
}

const isPoints = (event: EventEnvelope): event is Extract<AnyEvent, { name: 'run.points' }> =>
  event.name === 'run.points';
const pointsIn = (event: EventEnvelope): number => (isPoints(event) ? event.data.points.length : 0);
const withoutPoints = (event: EventEnvelope): EventEnvelope =>
  isPoints(event) ? { ...event, data: { ...event.data, points: [], truncated: true } } : event;

/** What the event reports the newest state of; undefined where every event counts. */
export function subjectOf(event: AnyEvent): string | undefined {
  switch (event.name) {
    case 'run.changed':
      return `run ${event.data.run.id}`;
    case 'run.progress':
      return `progress ${event.data.runId}`;
    case 'artifact.progress':
      return `artifact ${event.data.runId} ${event.data.artifact}`;
    case 'run.log':
      return `log ${event.data.runId} ${event.data.rank}`;
    case 'lab.changed':
      return `lab ${event.data.labId}`;
    case 'provision.changed':
      return `node ${event.data.readiness.labId} ${event.data.readiness.nodeId}`;
    case 'connection.changed':
      return `connection ${event.data.connection.labId} ${event.data.connection.nodeId}`;
    case 'settings.changed':
      return 'settings';
    case 'app.replaced':
      return 'program';
    case 'net.changed':
      return `network ${event.data.state.labId}`;
    case 'net.traffic':
      return `traffic ${event.data.labId}`;
    case 'terminal.data':
    case 'terminal.ended':
    case 'run.removed':
    case 'run.points':
    case 'prompt.asked':
    case 'prompt.closed':
    case 'app.problem':
      return undefined;
  }
}
