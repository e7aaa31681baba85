/**
 * Rate-limits the events to one client (token bucket): sent at once while there are fewer than ten a second, in
 * batches beyond that. An event that a newer one of the same subject replaces is skipped, and the points of a batch
 * are limited: a client that shows state needs the newest, and asks the store for the rest. Sequence numbers have no
 * gaps.
 */
import type { AnyEvent } from '../../shared/contract/api.ts';
import { skippedEvent, type EventEnvelope } from '../../shared/contract/rpc.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { subjectOf } from '../base/events.ts';

export type StreamClock = Pick<Clock, 'ticks' | 'after'>;

const batchEveryMs = 100;
/** Maximum delay of a terminal's output, independent of the rate limit. */
const echoMs = 16;
/** Burst: sends allowed after a quiet time, so that a point does not wait for a state or a sample sent just before it. */
const maxSaved = 4;
/** Maximum number of points in a batch; beyond it `run.points` are `truncated`. */
const maxPoints = 2000;
/** Maximum number of waiting events. Beyond it all are dropped: the client sees the gap and calls `events.since`. */
const maxWaiting = 2000;

export interface EventStream {
  push(event: AnyEvent): void;
  /** Nothing is sent afterwards. */
  close(): void;
}

export function createEventStream(
  send: (events: EventEnvelope[]) => void,
  clock: StreamClock = systemClock,
): EventStream {
  let waiting: EventEnvelope[] = [];
  /** Index in `waiting` of the newest event of each subject. */
  let newest = new Map<string, number>();
  let points = 0;
  /** Tokens available at `countedAt`. */
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

  /** Milliseconds until the next token. */
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
      // Typed characters must be echoed at once.
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
