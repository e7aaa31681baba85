/**
 * Events on their way to one client: they go out at once while fewer than ten a second do, and in batches beyond that. What a newer event of the same thing makes idle is passed over, and a batch holds only so many points: a
 * client that shows state needs the newest, and asks the store for the rest. Sequence numbers keep their order without holes.
 */
import type { AnyEvent } from '../../shared/contract/api.ts';
import { skippedEvent, type EventEnvelope } from '../../shared/contract/rpc.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { subjectOf } from '../base/events.ts';

export type StreamClock = Pick<Clock, 'ticks' | 'after'>;

const batchEveryMs = 100;
/** A terminal's output waits no longer than this, however many sends were made just before. */
const echoMs = 16;
/** Sends that a quiet time saves up: a point must not wait because a state or a sample went out just before it. */
const maxSaved = 4;
/** Points in one batch; beyond it `run.points` say `truncated`. */
const maxPoints = 2000;
/** Events that wait for one batch. Beyond it all of them go: the client sees the gap and asks `events.since`. */
const maxWaiting = 2000;

export interface EventStream {
  push(event: AnyEvent): void;
  /** Nothing is sent after it. */
  close(): void;
}

export function createEventStream(
  send: (events: EventEnvelope[]) => void,
  clock: StreamClock = systemClock,
): EventStream {
  let waiting: EventEnvelope[] = [];
  /** Where in `waiting` the newest event of a thing is. */
  let newest = new Map<string, number>();
  let points = 0;
  /** Sends saved up, as of `countedAt`. */
  let saved = maxSaved;
  let countedAt = clock.ticks();
  let stop: (() => void) | undefined;
  let closed = false;

  const clear = (): EventEnvelope[] => {
    const taken = waiting;
    waiting = [];
    newest = new Map();
    points = 0;
    return taken;
  };

  const flush = (): void => {
    stop = undefined;
    if (closed || waiting.length === 0) return;
    saved -= 1;
    send(clear());
  };

  /** Milliseconds until a send is saved up. */
  const untilNext = (): number => {
    const now = clock.ticks();
    saved = Math.min(maxSaved, saved + (now - countedAt) / batchEveryMs);
    countedAt = now;
    return Math.ceil((1 - saved) * batchEveryMs);
  };

  const flushSaved = (): void => {
    untilNext();
    flush();
  };

  const add = (event: AnyEvent): void => {
    const subject = subjectOf(event);
    if (subject !== undefined) {
      const earlier = newest.get(subject);
      const idle = earlier === undefined ? undefined : waiting[earlier];
      if (earlier !== undefined && idle !== undefined)
        waiting[earlier] = { seq: idle.seq, name: skippedEvent, data: {} };
      newest.set(subject, waiting.length);
    }
    if (event.name !== 'run.points') {
      waiting.push(event);
      return;
    }
    points += event.data.points.length;
    waiting.push(
      points <= maxPoints ? event : { ...event, data: { ...event.data, points: [], truncated: true } },
    );
  };

  return {
    push(event) {
      if (closed) return;
      if (waiting.length >= maxWaiting) clear();
      add(event);
      if (stop !== undefined) return;
      // What is typed must come back at once.
      const wait = Math.min(untilNext(), event.name === 'terminal.data' ? echoMs : batchEveryMs);
      if (wait <= 0) flush();
      else stop = clock.after(wait, flushSaved);
    },
    close() {
      closed = true;
      stop?.();
      clear();
    },
  };
}
