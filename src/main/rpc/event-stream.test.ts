import { describe, expect, it } from 'vitest';
import { events as eventSchemas, type AnyEvent } from '../../shared/contract/api.ts';
import type { Point } from '../../shared/metrics/metrics.ts';
import { skippedEvent, type EventEnvelope } from '../../shared/contract/rpc.ts';
import { createEventLog } from '../base/events.ts';
import { runRecord } from '../store/testing/fixtures.ts';
import { createEventStream } from './event-stream.ts';
import { createDispatcher } from './index.ts';
import { handlersWith, makeWire, settle } from './testing/wire.ts';
import { createHandClock } from '../base/testing/hand-clock.ts';

const point = (seq: number): Point => ({ source: 'rank-0', line: { v: 1, seq, t: seq, kind: 'step' } });

function stream() {
  const clock = createHandClock();
  const batches: EventEnvelope[][] = [];
  const made = createEventStream((batch) => batches.push(batch), clock);
  const events = createEventLog();
  events.subscribe((event) => made.push(event));
  /** Uses up the burst allowance; these sends are not in `batches`. */
  const busy = (): void => {
    for (let n = 0; n < 4; n += 1) events.emit('run.removed', { runId: 'busy' });
    expect(batches.splice(0)).toHaveLength(4);
  };
  return { clock, batches, events, busy, close: () => made.close() };
}

describe('events sent to a client', () => {
  it('are sent at once for the first four after a quiet time, the others at most ten times a second', () => {
    const { clock, batches, events } = stream();
    events.emit('run.removed', { runId: 'a' });
    expect(batches).toHaveLength(1);
    for (let n = 0; n < 500; n += 1) {
      events.emit('run.removed', { runId: 'b' });
      clock.pass(2);
    }
    expect(batches.length).toBeGreaterThan(9);
    expect(batches.length).toBeLessThanOrEqual(14);
    clock.pass(100);
    expect(batches.flat().map(({ seq }) => seq)).toEqual(Array.from({ length: 501 }, (_, n) => n + 1));
    clock.pass(100);
    const sent = batches.length;
    events.emit('run.removed', { runId: 'c' });
    expect(batches).toHaveLength(sent + 1);
  });

  it('are reduced to the newest state of each subject, and keep their order', () => {
    const { clock, batches, events, busy } = stream();
    busy();
    for (let step = 1; step <= 5; step += 1) {
      events.emit('run.changed', { run: runRecord('a', { step }) });
      events.emit('run.changed', { run: runRecord('b', { step }) });
    }
    clock.pass(100);
    const batch = batches[0]!;
    expect(batch.map(({ seq }) => seq)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    const reported = batch.filter(({ name }) => name !== skippedEvent);
    expect(reported.map(({ data }) => eventSchemas['run.changed'].parse(data).run)).toMatchObject([
      { id: 'a', step: 5 },
      { id: 'b', step: 5 },
    ]);
    expect(Object.hasOwn(eventSchemas, skippedEvent)).toBe(false);
  });

  it('report too many points without their values', () => {
    const { clock, batches, events, busy } = stream();
    busy();
    for (let n = 0; n < 5; n += 1)
      events.emit('run.points', {
        runId: 'r',
        points: Array.from({ length: 700 }, (_, i) => point(i)),
        truncated: false,
      });
    clock.pass(100);
    const data = batches[0]!.map((event) => eventSchemas['run.points'].parse(event.data));
    expect(data.map(({ points, truncated }) => [points.length, truncated])).toEqual([
      [700, false],
      [700, false],
      [0, true],
      [0, true],
      [0, true],
    ]);
    events.emit('run.points', { runId: 'r', points: [point(1)], truncated: false });
    clock.pass(100);
    expect(batches[1]?.[0]?.data).toMatchObject({ truncated: false });
  });

  it('are dropped in a flood instead of being buffered; the client sees the gap in the numbers', () => {
    const { clock, batches, events, busy } = stream();
    busy();
    for (let n = 0; n < 5000; n += 1) events.emit('run.removed', { runId: 'x' });
    clock.pass(100);
    expect(batches[0]!.length).toBeLessThanOrEqual(2000);
    expect(batches[0]!.at(-1)?.seq).toBe(5004);
  });

  it('stop once the stream is closed', () => {
    const { clock, batches, events, busy, close } = stream();
    busy();
    events.emit('run.removed', { runId: 'x' });
    close();
    clock.pass(1000);
    events.emit('run.removed', { runId: 'x' });
    expect(batches).toHaveLength(0);
  });
});

describe('a client that missed events', () => {
  it('gets them by requesting those since the last one, or an answer that they are no longer kept', async () => {
    const events = createEventLog();
    const handlers = handlersWith({
      'events.since': ({ session, seq }) => Promise.resolve(events.since(session, seq)),
    });
    const dispatcher = createDispatcher({ handlers, events, clock: createHandClock() });
    const first = makeWire();
    dispatcher.serve(first.transport);
    events.emit('run.removed', { runId: 'seen' });
    first.drop();
    for (let n = 0; n < 3; n += 1) events.emit('run.removed', { runId: `missed ${n}` });
    const second = makeWire();
    dispatcher.serve(second.transport);
    expect(second.sent[0]).toMatchObject({ type: 'hello', lastSeq: 4, session: events.session });
    const ask = (id: number, session: string, seq: number) =>
      second.say({ type: 'request', id, name: 'events.since', args: { session, seq } });
    ask(1, events.session, 1);
    ask(2, 'another process', 1);
    await settle();
    for (let n = 0; n < 20_000; n += 1) events.emit('run.removed', { runId: 'flood' });
    ask(3, events.session, 1);
    await settle();
    const answers = second.sent.filter((message) => message.type === 'response').map(({ value }) => value);
    expect(answers).toMatchObject([
      {
        complete: true,
        lastSeq: 4,
        events: [2, 3, 4].map((seq) => ({ seq, name: 'run.removed', data: { runId: `missed ${seq - 2}` } })),
      },
      { complete: false, events: [] },
      { complete: false, events: [] },
    ]);
  });

  it('sees every event of main once, on either path', () => {
    const events = createEventLog();
    const clock = createHandClock();
    const dispatcher = createDispatcher({ handlers: handlersWith({}), events, clock });
    const wire = makeWire();
    dispatcher.serve(wire.transport);
    const emitted: AnyEvent[] = [];
    events.subscribe((event) => emitted.push(event));
    for (let n = 0; n < 300; n += 1) {
      events.emit('prompt.closed', { promptId: String(n) });
      clock.pass(7);
    }
    clock.pass(200);
    const received = wire.sent.flatMap((message) => (message.type === 'events' ? message.events : []));
    expect(received).toEqual(emitted);
  });
});
