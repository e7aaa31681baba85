import { describe, expect, it } from 'vitest';
import type { AnyEvent } from '../../shared/contract/api.ts';
import { RinglabError } from '../../shared/base/errors.ts';
import { createClient } from '../../shared/contract/api-client.ts';
import { hello, testWire } from './client.fixture.ts';

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
const problem = (seq: number) => ({ seq, name: 'prompt.closed', data: { promptId: `p${seq}` } });
const settings = { language: 'en', theme: 'dark', notifications: true } as const;

function start(lastSeq = 0) {
  const wire = testWire();
  const client = createClient(wire.transport);
  const seen: number[] = [];
  const problems: string[] = [];
  let resyncs = 0;
  client.subscribe((event: AnyEvent) => seen.push(event.seq));
  client.onResync(() => (resyncs += 1));
  client.onProblem((error) => problems.push(error.code));
  wire.receive(hello(lastSeq));
  return { wire, client, seen, problems, resyncs: () => resyncs };
}
const lastRequest = (wire: ReturnType<typeof testWire>) => {
  const message = wire.sent.at(-1);
  if (message?.type !== 'request') throw new Error('no request was sent');
  return message;
};

describe('requests', () => {
  it('waits for the greeting, then sends and matches answers by id', async () => {
    const wire = testWire();
    const client = createClient(wire.transport);
    const first = client.call('settings.get', {});
    expect(wire.sent).toEqual([]);
    wire.receive(hello(0));
    const second = client.call('settings.set', { theme: 'dark' });
    expect(wire.sent.map((message) => message.type)).toEqual(['request', 'request']);
    const [a, b] = wire.sent;
    wire.receive({ type: 'response', id: b!.id, ok: true, value: settings });
    wire.receive({ type: 'response', id: a!.id, ok: true, value: { ...settings, theme: 'light' } });
    expect((await second).theme).toBe('dark');
    expect((await first).theme).toBe('light');
  });

  it('rejects with main’s error and its parameters', async () => {
    const { wire, client } = start();
    const request = client.call('lab.open', { labId: 'x' });
    wire.receive({
      type: 'failure',
      id: lastRequest(wire).id,
      error: { code: 'not_found', params: { what: 'lab', id: 'x' } },
    });
    const error = await request.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RinglabError);
    expect(error).toMatchObject({ code: 'not_found', params: { what: 'lab', id: 'x' } });
  });

  it('cancels once on the wire, rejects with cancelled, and ignores the late answer', async () => {
    const { wire, client } = start();
    const stop = new AbortController();
    const request = client.call('settings.get', {}, stop.signal);
    const { id } = lastRequest(wire);
    stop.abort();
    stop.abort();
    await expect(request).rejects.toMatchObject({ code: 'cancelled' });
    expect(wire.sent.filter((message) => message.type === 'cancel')).toEqual([{ type: 'cancel', id }]);
    wire.receive({ type: 'response', id, ok: true, value: settings });
  });

  it('sends nothing if the signal is already aborted', async () => {
    const { wire, client } = start();
    await expect(client.call('settings.get', {}, AbortSignal.abort())).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(wire.sent).toEqual([]);
  });

  it('refuses an answer that does not match its schema, and names the request', async () => {
    const { wire, client } = start();
    const request = client.call('settings.get', {});
    wire.receive({ type: 'response', id: lastRequest(wire).id, ok: true, value: { theme: 'pink' } });
    await expect(request).rejects.toMatchObject({ code: 'malformed_message', where: 'settings.get' });
  });

  it('rejects sent requests if the wire breaks, and sends queued ones once it is open again', async () => {
    const { wire, client } = start();
    const lost = client.call('settings.get', {});
    wire.setStatus({ state: 'lost', everOpen: true });
    await expect(lost).rejects.toMatchObject({ code: 'connection_lost' });
    const waiting = client.call('settings.get', {});
    const before = wire.sent.length;
    wire.setStatus({ state: 'open', everOpen: true });
    expect(wire.sent).toHaveLength(before);
    wire.receive(hello(0));
    expect(wire.sent).toHaveLength(before + 1);
    wire.receive({ type: 'response', id: lastRequest(wire).id, ok: true, value: settings });
    expect((await waiting).theme).toBe('dark');
  });
});

describe('events', () => {
  it('are delivered in order, each once', () => {
    const { wire, seen } = start(4);
    wire.receive({ type: 'events', events: [problem(5), problem(6)] });
    wire.receive({ type: 'events', events: [problem(5), problem(6), problem(7)] });
    expect(seen).toEqual([5, 6, 7]);
  });

  it('are requested again for a gap before later ones are delivered', async () => {
    const { wire, seen, resyncs } = start();
    wire.receive({ type: 'events', events: [problem(1)] });
    wire.receive({ type: 'events', events: [problem(4)] });
    wire.receive({ type: 'events', events: [problem(5)] });
    expect(seen).toEqual([1]);
    const request = lastRequest(wire);
    expect(request).toMatchObject({ name: 'events.since', args: { session: 'one', seq: 1 } });
    wire.receive({
      type: 'response',
      id: request.id,
      ok: true,
      value: { complete: true, events: [problem(2), problem(3), problem(4)], lastSeq: 4 },
    });
    await settled();
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    expect(resyncs()).toBe(0);
  });

  it('need a resynchronisation if main no longer has the lost ones', async () => {
    const { wire, seen, resyncs } = start();
    wire.receive({ type: 'events', events: [problem(9)] });
    wire.receive({
      type: 'response',
      id: lastRequest(wire).id,
      ok: true,
      value: { complete: false, events: [], lastSeq: 9 },
    });
    await settled();
    expect(resyncs()).toBe(1);
    wire.receive({ type: 'events', events: [problem(10)] });
    expect(seen).toEqual([10]);
  });

  it('are requested since the last one after a reconnection to the same process', async () => {
    const { wire, seen } = start();
    wire.receive({ type: 'events', events: [problem(1)] });
    wire.setStatus({ state: 'lost', everOpen: true });
    wire.receive(hello(2));
    expect(lastRequest(wire)).toMatchObject({ name: 'events.since', args: { session: 'one', seq: 1 } });
    wire.receive({
      type: 'response',
      id: lastRequest(wire).id,
      ok: true,
      value: { complete: true, events: [problem(2)], lastSeq: 2 },
    });
    await settled();
    expect(seen).toEqual([1, 2]);
  });

  it('restart with another process, whose numbers start at 1', () => {
    const { wire, seen, resyncs } = start();
    wire.receive({ type: 'events', events: [problem(1), problem(2)] });
    wire.receive(hello(1, 'two'));
    expect(resyncs()).toBe(1);
    wire.receive({ type: 'events', events: [problem(2)] });
    expect(seen).toEqual([1, 2, 2]);
  });

  it('need a resynchronisation at the next greeting if the connection broke while a gap was filled', async () => {
    const { wire, resyncs } = start();
    wire.receive({ type: 'events', events: [problem(5)] });
    wire.setStatus({ state: 'lost', everOpen: true });
    await settled();
    wire.receive(hello(5));
    expect(resyncs()).toBe(1);
  });

  it('are ignored if unknown, and reported if malformed', () => {
    const { wire, seen, problems } = start();
    wire.receive({ type: 'events', events: [{ seq: 1, name: 'moon.rose', data: {} }, problem(2)] });
    wire.receive({ type: 'events', events: [{ seq: 3, name: 'prompt.closed', data: 7 }, problem(4)] });
    wire.receive({ type: 'nonsense' });
    expect(seen).toEqual([2, 4]);
    expect(problems).toEqual(['malformed_message', 'malformed_message']);
  });

  it('reach the other listeners if one throws', () => {
    const { wire, client, problems } = start();
    const later: number[] = [];
    client.subscribe(() => {
      throw new Error('mine');
    });
    client.subscribe((event) => later.push(event.seq));
    wire.receive({ type: 'events', events: [problem(1)] });
    expect(later).toEqual([1]);
    expect(problems).toEqual(['internal']);
  });
});
