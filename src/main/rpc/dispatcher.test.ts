import { describe, expect, it } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import { ServerMessage } from '../../shared/contract/rpc.ts';
import { createEventLog } from '../base/events.ts';
import { createDispatcher, directApi, type DispatchNote, type Handlers } from './index.ts';
import { handlersWith, makeWire, settle } from './testing/wire.ts';
import { createHandClock } from '../base/testing/hand-clock.ts';

const settings = { language: 'en', theme: 'dark', notifications: true } as const;

function serve(given: Partial<Handlers>, checkResults = true) {
  const events = createEventLog();
  const notes: DispatchNote[] = [];
  const clock = createHandClock();
  const dispatcher = createDispatcher({
    handlers: handlersWith(given),
    events,
    checkResults,
    clock,
    log: (note) => notes.push(note),
  });
  const wire = makeWire();
  const dispose = dispatcher.serve(wire.transport);
  const answers = () =>
    wire.sent.filter((message) => message.type === 'response' || message.type === 'failure');
  return { events, notes, clock, wire, dispose, answers };
}
const request = (id: number, name: string, args: unknown = {}) => ({ type: 'request', id, name, args });
/** A request that ends when it is aborted, or never. */
const untilAborted =
  (seen: AbortSignal[]) =>
  (_args: unknown, { signal }: { signal: AbortSignal }) => {
    seen.push(signal);
    return new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('stopped'))),
    );
  };

describe('requests', () => {
  it('follow a greeting with the session and the newest event', () => {
    const { wire, events } = serve({});
    expect(wire.sent[0]).toEqual({ type: 'hello', protocol: 1, session: events.session, lastSeq: 0 });
  });

  it('return the handler’s result', async () => {
    const { wire, answers } = serve({ 'settings.get': () => Promise.resolve(settings) });
    wire.say(request(7, 'settings.get'));
    await settle();
    expect(answers()).toEqual([{ type: 'response', id: 7, ok: true, value: settings }]);
  });

  it('return the handler’s error, and log every detail of an unexpected one', async () => {
    const { wire, answers, notes } = serve({
      'run.get': ({ runId }) => Promise.reject(new RinglabError('not_found', { what: 'run', id: runId })),
      'settings.get': () => {
        throw new TypeError('undefined is not a function');
      },
    });
    wire.say(request(1, 'run.get', { runId: 'r' }));
    wire.say(request(2, 'settings.get'));
    await settle();
    expect(answers().sort((a, b) => a.id - b.id)).toMatchObject([
      { id: 1, error: { code: 'not_found', params: { what: 'run', id: 'r' } } },
      { id: 2, error: { code: 'internal', detail: 'undefined is not a function' } },
    ]);
    expect(notes).toMatchObject([{ what: 'failed', request: 'settings.get' }]);
  });

  it.each(['nonsense', 'constructor', '__proto__', 'toString', ''])(
    'with the unknown name %j are refused',
    async (name) => {
      const { wire, answers } = serve({});
      wire.say(request(1, name));
      await settle();
      expect(answers()).toMatchObject([{ type: 'failure', id: 1, error: { code: 'unknown_request' } }]);
    },
  );

  it('with invalid arguments are refused with the path of the first, before the handler is called', async () => {
    let called = 0;
    const { wire, answers } = serve({
      'metrics.series': () => {
        called += 1;
        return Promise.resolve([]);
      },
    });
    const key = { source: 'rank-0', kind: 'step', field: 'loss' };
    wire.say(
      request(1, 'metrics.series', {
        runId: 'r',
        x: 'step',
        maxPoints: 9,
        series: [key, { ...key, source: '../x' }],
      }),
    );
    wire.say(request(2, 'metrics.series', null));
    wire.say(request(3, 'metrics.series', { runId: 'r', x: 'step', maxPoints: 1e9, series: [key] }));
    await settle();
    expect(called).toBe(0);
    expect(answers()).toMatchObject([
      {
        id: 1,
        error: { code: 'bad_request', params: { path: 'series[1].source' }, where: 'metrics.series' },
      },
      { id: 2, error: { code: 'bad_request' } },
      { id: 3, error: { code: 'bad_request', params: { path: 'maxPoints' } } },
    ]);
  });

  it('have their handlers’ results checked during development', async () => {
    // The result of a faulty handler.
    const broken = {
      'settings.get': () => Promise.resolve({ language: 'klingon' }),
    } as unknown as Partial<Handlers>;
    const checked = serve(broken);
    checked.wire.say(request(1, 'settings.get'));
    const unchecked = serve(broken, false);
    unchecked.wire.say(request(1, 'settings.get'));
    await settle();
    expect(checked.answers()).toMatchObject([{ error: { code: 'internal', where: 'settings.get' } }]);
    expect(unchecked.answers()).toMatchObject([{ type: 'response' }]);
  });

  it('are limited in number while active', async () => {
    const { wire, answers } = serve({ 'app.doctor': untilAborted([]) });
    for (let id = 0; id < 300; id += 1) wire.say(request(id, 'app.doctor'));
    await settle();
    expect(answers()).toHaveLength(300 - 256);
    expect(answers()[0]).toMatchObject({ id: 256, error: { code: 'bad_request' } });
  });
});

describe('cancelling', () => {
  it('answers with cancelled at once, aborts the work, and sends nothing more about it', async () => {
    const seen: AbortSignal[] = [];
    const { wire, answers } = serve({ 'app.doctor': untilAborted(seen) });
    wire.say(request(1, 'app.doctor'));
    wire.say({ type: 'cancel', id: 1 });
    expect(answers()).toMatchObject([{ type: 'failure', id: 1, error: { code: 'cancelled' } }]);
    wire.say({ type: 'cancel', id: 1 });
    wire.say({ type: 'cancel', id: 99 });
    await settle();
    expect(seen[0]?.aborted).toBe(true);
    expect(answers()).toHaveLength(1);
  });

  it('counts cancelled work that is still active against the limit', async () => {
    const { wire, answers } = serve({ 'app.doctor': () => new Promise<never>(() => undefined) });
    for (let id = 0; id < 256; id += 1) {
      wire.say(request(id, 'app.doctor'));
      wire.say({ type: 'cancel', id });
    }
    wire.say(request(256, 'app.doctor'));
    await settle();
    expect(answers().at(-1)).toMatchObject({ id: 256, error: { code: 'bad_request' } });
  });

  it('aborts everything when the client disconnects, and sends nothing after', async () => {
    const seen: AbortSignal[] = [];
    const { wire, answers, events } = serve({ 'app.doctor': untilAborted(seen) });
    wire.say(request(1, 'app.doctor'));
    wire.say(request(2, 'app.doctor'));
    await settle();
    wire.drop();
    const sent = wire.sent.length;
    events.emit('run.removed', { runId: 'r' });
    await settle();
    expect(seen.map((signal) => signal.aborted)).toEqual([true, true]);
    expect(answers()).toEqual([]);
    expect(wire.sent).toHaveLength(sent);
  });

  it('is possible for all requests from the server', async () => {
    const seen: AbortSignal[] = [];
    const { wire, dispose } = serve({ 'app.doctor': untilAborted(seen) });
    wire.say(request(1, 'app.doctor'));
    dispose();
    dispose();
    wire.say(request(2, 'app.doctor'));
    await settle();
    expect(seen).toHaveLength(1);
    expect(seen[0]?.aborted).toBe(true);
  });
});

describe('malformed messages', () => {
  it('fault 40: are refused and logged, and change nothing', async () => {
    let called = 0;
    const { wire, answers, notes } = serve({
      'settings.set': () => {
        called += 1;
        return Promise.resolve(settings);
      },
    });
    wire.say({ type: 'request', id: 5, name: 17, args: { theme: 'dark' } });
    wire.say({ type: 'REQUEST', id: 6, name: 'settings.set', args: { theme: 'dark' } });
    wire.say(undefined);
    wire.say('settings.set');
    wire.say([request(7, 'settings.set')]);
    wire.say(request(-1, 'settings.set'));
    wire.say(request(1.5, 'settings.set'));
    await settle();
    expect(called).toBe(0);
    expect(answers()).toMatchObject([
      { type: 'failure', id: 5, error: { code: 'malformed_message' } },
      { type: 'failure', id: 6, error: { code: 'malformed_message' } },
    ]);
    expect(notes.filter(({ what }) => what === 'malformed')).toHaveLength(7);
    wire.say(request(8, 'settings.set', { theme: 'dark' }));
    await settle();
    expect(called).toBe(1);
  });

  it('fault 40: disconnect a client that sends nothing else', () => {
    const { wire, notes } = serve({});
    for (let n = 0; n < 100 && wire.open; n += 1) wire.say({ junk: n });
    expect(wire.open).toBe(false);
    expect(notes.filter(({ what }) => what === 'malformed')).toHaveLength(20);
    expect(notes.at(-1)?.what).toBe('cut_off');
  });

  it('fault 40: that reuse an active id do not affect its request', async () => {
    let finish: (value: typeof settings) => void = () => undefined;
    const { wire, answers, notes } = serve({
      'settings.get': () => new Promise((resolve) => (finish = resolve)),
    });
    wire.say(request(1, 'settings.get'));
    wire.say(request(1, 'app.info'));
    wire.say({ type: 'nonsense', id: 1 });
    await settle();
    expect(answers()).toEqual([]);
    expect(notes).toHaveLength(2);
    finish(settings);
    await settle();
    expect(answers()).toMatchObject([{ type: 'response', id: 1 }]);
  });

  it('fault 40: get a well-formed answer for any random content', async () => {
    const { randomFrom } = await import('../store/testing/fixtures.ts');
    const random = randomFrom(40);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
    const value = (depth: number): unknown => {
      const kind = Math.floor(random() * (depth > 3 ? 6 : 9));
      if (kind === 0) return null;
      if (kind === 1) return random() < 0.5;
      if (kind === 2) return pick([0, -1, 1, 1e308, Number.NaN, 2 ** 60, random() * 100]);
      if (kind === 3)
        return pick([
          '',
          'request',
          'cancel',
          'settings.get',
          'run.get',
          '__proto__',
          '\u0000',
          'x'.repeat(5000),
        ]);
      if (kind <= 5) return Math.floor(random() * 50);
      if (kind === 6) return Array.from({ length: Math.floor(random() * 4) }, () => value(depth + 1));
      const names = ['type', 'id', 'name', 'args', 'runId', '__proto__', 'constructor', 'x'];
      return Object.fromEntries(names.filter(() => random() < 0.5).map((name) => [name, value(depth + 1)]));
    };
    for (let client = 0; client < 100; client += 1) {
      const { wire } = serve({ 'settings.get': () => Promise.resolve(settings) });
      const nearlyRight = () => ({
        ...request(Math.floor(random() * 9), pick(['settings.get', 'run.get', 'x'])),
        ...(value(3) as object),
      });
      for (let n = 0; n < 40; n += 1) wire.say(random() < 0.5 ? value(0) : nearlyRight());
      await settle();
      for (const message of wire.sent) expect(ServerMessage.safeParse(message).success).toBe(true);
    }
  });
});

describe('the in-process client', () => {
  it('uses the same parsing', async () => {
    const events = createEventLog();
    const api = directApi(
      handlersWith({
        'settings.get': () => Promise.resolve(settings),
        'run.get': () => Promise.reject(new TypeError('broken')),
      }),
      events,
    );
    expect(await api.call('settings.get', {})).toEqual(settings);
    await expect(api.call('run.get', { runId: '' })).rejects.toMatchObject({ code: 'bad_request' });
    await expect(api.call('run.get', { runId: 'r' })).rejects.toMatchObject({
      code: 'internal',
      detail: 'broken',
    });
    const heard: string[] = [];
    const stop = api.subscribe((event) => heard.push(event.name));
    events.emit('run.removed', { runId: 'r' });
    stop();
    events.emit('run.removed', { runId: 'r' });
    expect(heard).toEqual(['run.removed']);
  });

  it('cancels', async () => {
    const seen: AbortSignal[] = [];
    const api = directApi(handlersWith({ 'app.doctor': untilAborted(seen) }), createEventLog());
    const abort = new AbortController();
    const call = api.call('app.doctor', {}, abort.signal);
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    expect(seen[0]?.aborted).toBe(true);
    await expect(api.call('app.doctor', {}, abort.signal)).rejects.toMatchObject({ code: 'cancelled' });
    expect(seen).toHaveLength(1);
  });
});
