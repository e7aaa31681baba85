// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { electronTransport, takeCode, webSocketTransport } from './transports.ts';
import type { Socket } from './socket.ts';

interface FakeSocket extends Socket {
  readonly sent: string[];
  isClosed: boolean;
}

function setUp() {
  const sockets: FakeSocket[] = [];
  const timers: { run: () => void; wait: number }[] = [];
  const transport = webSocketTransport({
    connect: () => {
      const socket: FakeSocket = {
        sent: [],
        isClosed: false,
        onopen: null,
        onclose: null,
        onmessage: null,
        send: (text) => socket.sent.push(text),
        close: () => {
          socket.isClosed = true;
        },
      };
      sockets.push(socket);
      return socket;
    },
    setTimer: (run, wait) => {
      timers.push({ run, wait });
      return () => undefined;
    },
    now: () => 1000,
    random: () => 0.5,
  });
  return { transport, sockets, timers };
}
const open = (socket: FakeSocket | undefined) => socket?.onopen?.();
const close = (socket: FakeSocket | undefined) => socket?.onclose?.();
const message = (socket: FakeSocket | undefined, data: unknown) =>
  socket?.onmessage?.(new MessageEvent('message', { data }));

describe('the WebSocket wire', () => {
  it('reconnects automatically with back-off, and reports the next attempt', () => {
    const { transport, sockets, timers } = setUp();
    close(sockets[0]);
    expect(transport.status()).toEqual({ state: 'lost', everOpen: false, retryAt: 1300 });
    for (let round = 0; round < 8; round += 1) {
      timers.at(-1)?.run();
      close(sockets.at(-1));
    }
    expect(timers.map((timer) => timer.wait)).toEqual([300, 600, 1200, 2400, 4800, 7500, 7500, 7500, 7500]);
    timers.at(-1)?.run();
    open(sockets.at(-1));
    expect(transport.status()).toEqual({ state: 'open', everOpen: true });
    close(sockets.at(-1));
    expect(timers.at(-1)?.wait).toBe(300);
  });

  it('reports why there is no connection if waiting does not help', () => {
    const { transport, sockets } = setUp();
    sockets[0]?.onclose?.('stranger');
    expect(transport.status()).toEqual({
      state: 'lost',
      everOpen: false,
      retryAt: 1300,
      problem: 'stranger',
    });
  });

  it('reconnects at once on request, and ignores its old socket', () => {
    const { transport, sockets } = setUp();
    close(sockets[0]);
    transport.retryNow();
    expect(sockets).toHaveLength(2);
    expect(transport.status().state).toBe('connecting');
    close(sockets[0]);
    expect(transport.status().state).toBe('connecting');
  });

  it('keeps messages received before its listener, and delivers invalid JSON as undefined', () => {
    const { transport, sockets } = setUp();
    open(sockets[0]);
    message(sockets[0], '{"a":1}');
    const got: unknown[] = [];
    transport.onMessage((one) => got.push(one));
    message(sockets[0], '{"torn":');
    expect(got).toEqual([{ a: 1 }, undefined]);
  });

  it('finding: closes a socket that is silent for longer than its host ever is, and reconnects', () => {
    const { transport, sockets, timers } = setUp();
    sockets[0]?.onopen?.(60_000);
    const [socket] = sockets;
    for (let look = 0; look < 4; look += 1) timers.at(-1)?.run();
    // A message before the last look: the line is whole.
    message(socket, '{"type":"events","events":[]}');
    for (let look = 0; look < 4; look += 1) timers.at(-1)?.run();
    expect(transport.status().state).toBe('open');
    expect(timers.map(({ wait }) => wait)).toEqual(Array(9).fill(15_000));
    timers.at(-1)?.run();
    expect(socket?.isClosed).toBe(true);
    expect(transport.status()).toEqual({ state: 'lost', everOpen: true, retryAt: 1300 });
    // Its late end is none of the next one's.
    timers.at(-1)?.run();
    open(sockets[1]);
    close(socket);
    expect(transport.status().state).toBe('open');
    // A host of an earlier version sends nothing while nothing happens.
    expect(timers).toHaveLength(10);
  });

  it('sends only while it is open', () => {
    const { transport, sockets } = setUp();
    transport.send({ type: 'cancel', id: 1 });
    open(sockets[0]);
    transport.send({ type: 'cancel', id: 2 });
    expect(sockets[0]?.sent).toEqual(['{"type":"cancel","id":2}']);
  });
});

describe('the code in the address', () => {
  it('is removed from the address bar, and used once', () => {
    window.history.replaceState(null, '', '/?a=1#code=s3cret_-&view=runs');
    expect(takeCode(window)).toBe('s3cret_-');
    expect(window.location.href.endsWith('/?a=1#view=runs')).toBe(true);
    expect(takeCode(window)).toBeUndefined();
    window.history.replaceState(null, '', '/');
  });
});

it('Electron’s wire hands messages through the preload', () => {
  const sent: unknown[] = [];
  let listener: ((message: unknown) => void) | undefined;
  const transport = electronTransport({
    send: (one) => sent.push(one),
    onMessage: (next) => {
      listener = next;
      return undefined;
    },
  });
  const got: unknown[] = [];
  transport.onMessage((one) => got.push(one));
  transport.send({ type: 'cancel', id: 3 });
  listener?.({ hi: 1 });
  expect(sent).toEqual([{ type: 'cancel', id: 3 }]);
  expect(got).toEqual([{ hi: 1 }]);
  expect(transport.status().state).toBe('open');
});
