import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ConnectionState } from '../../../shared/node/provision.ts';
import type { Clock } from '../../base/clock.ts';
import { systemClock } from '../../base/clock.ts';
import { person, targetOf, testPool, trusting, type TestPool } from '../testing/pool.ts';
import { freePort } from '../testing/free-port.ts';
import { startSilentGate } from '../testing/silent-gate.ts';
import { startSshd, type Sshd } from '../testing/sshd.ts';
import { startTcpProxy } from '../testing/tcp-proxy.ts';

let sshd: Sshd;
const undo: (() => Promise<unknown>)[] = [];
const poolWith: typeof testPool = async (options) => {
  const made = await testPool(options);
  undo.push(() => made.close());
  return made;
};
const sshdWith: typeof startSshd = async (options) => {
  const made = await startSshd(options);
  undo.push(() => made.stop());
  return made;
};
beforeAll(async () => {
  sshd = await startSshd();
});
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});
afterAll(() => sshd.stop());

const words = (test: TestPool): ConnectionState['state'][] => test.states.map(({ state }) => state);

/** Records the waits and returns at once. */
const hastyClock = (): Clock & { waits: number[] } => {
  const waits: number[] = [];
  return {
    ...systemClock,
    waits,
    now: () => Date.now(),
    random: () => 0.5,
    sleep: async (ms, signal) => {
      waits.push(ms);
      await systemClock.sleep(1, signal);
    },
  };
};

describe('a host that cannot be reached', () => {
  it('because of an unknown name', async () => {
    const test = await poolWith();
    await expect(test.pool.session(targetOf(sshd, { host: 'no-such-host.invalid' }))).rejects.toMatchObject({
      code: 'host_not_found',
      params: { host: 'no-such-host.invalid' },
      where: 'node 1',
    });
    expect(test.states.at(-1)).toMatchObject({ state: 'unreachable', error: { code: 'host_not_found' } });
  });

  it('because the port is closed', async () => {
    const test = await poolWith();
    const port = await freePort();
    await expect(test.pool.session(targetOf(sshd, { port }))).rejects.toMatchObject({
      code: 'host_refused',
      params: { host: '127.0.0.1', port },
    });
  });

  it('because it hangs after the TCP handshake', async () => {
    const proxy = await startTcpProxy(undefined);
    undo.push(() => proxy.stop());
    const test = await poolWith({ timing: { handshakeMs: 300 } });
    await expect(test.pool.session(targetOf(sshd, { port: proxy.port }))).rejects.toMatchObject({
      code: 'handshake_timeout',
      params: { host: '127.0.0.1', port: proxy.port },
    });
    expect(test.states.at(-1)?.state).toBe('unreachable');
  });

  it('because it speaks another protocol', async () => {
    const other: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    undo.push(async () => {
      other.close();
      await once(other, 'close');
    });
    const address = other.address();
    const test = await poolWith();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(test.pool.session(targetOf(sshd, { port }))).rejects.toMatchObject({
      code: 'host_unreachable',
      params: { reason: 'no SSH server answers there' },
    });
  });

  it('fault 12: because no key exchange, cipher or host key is in common; both lists are shown', async () => {
    for (const [line, kind, theirs] of [
      [
        'KexAlgorithms sntrup761x25519-sha512@openssh.com',
        'key exchange',
        'sntrup761x25519-sha512@openssh.com',
      ],
      ['Ciphers aes256-cbc', 'cipher', 'aes256-cbc'], // Weak: the user is asked, and refuses.
      ['MACs umac-64@openssh.com', 'MAC', 'umac-64@openssh.com'],
    ] as const) {
      // GCM needs no separate MAC.
      const more = kind === 'MAC' ? ['Ciphers aes128-ctr'] : [];
      const odd = await sshdWith({ extraConfig: [line, ...more] });
      const test = await poolWith({
        person: person(({ kind: asked }) => {
          expect([asked, kind]).toEqual(['weak-algorithms', 'cipher']);
          return { kind: 'refuse' };
        }),
      });
      await expect(test.pool.session(targetOf(odd))).rejects.toMatchObject({
        code: 'no_common_algorithm',
        params: {
          kind,
          theirs: expect.stringContaining(theirs) as unknown,
          ours: expect.stringMatching(/curve25519|aes128-ctr|hmac/) as unknown,
        },
      });
      expect(test.states.at(-1)?.state).toBe('refused');
    }
  });
});

describe('one connection per node', () => {
  it('is shared by all simultaneous callers, and opened again after it was lost', async () => {
    const test = await poolWith();
    const target = targetOf(sshd);
    const sessions = await Promise.all([1, 2, 3].map(() => test.pool.session(target)));
    expect(new Set(sessions).size).toBe(1);
    expect(test.person.questions).toHaveLength(1);
    test.pool.drop('lab', 'node');
    await expect(sessions[0]?.closed).resolves.toBeUndefined();
    expect(await test.pool.session(target)).not.toBe(sessions[0]);
    await test.close();
    expect(words(test)).toEqual(['connecting', 'connected', 'idle', 'connecting', 'connected', 'idle']);
  });

  it('is another after the address was edited', async () => {
    const second = await sshdWith();
    const test = await poolWith();
    const session = await test.pool.session(targetOf(sshd));
    const other = await test.pool.session(targetOf(second));
    await expect(session.closed).resolves.toBeUndefined();
    expect((await other.exec('echo ok')).stdout).toBe('ok\n');
    expect(test.states.at(-1)?.state).toBe('connected');
  });

  it('is not opened if all callers have cancelled, and the question is withdrawn', async () => {
    let aborted = false;
    const leaving = new AbortController();
    const test = await poolWith({
      person: {
        questions: [],
        ask: (_question, signal) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => {
              aborted = true;
              reject(new Error('gone'));
            });
            leaving.abort();
          }),
      },
    });
    const asked = test.pool.session(targetOf(sshd), leaving.signal);
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => aborted).toBe(true);
    await expect.poll(() => words(test)).toEqual(['connecting', 'idle']);
  });

  it('is opened for the others if one caller cancels', async () => {
    const leaving = new AbortController();
    const test = await poolWith({
      person: person(async () => {
        leaving.abort();
        await new Promise((resolve) => setTimeout(resolve, 50));
        return { kind: 'accept' };
      }),
    });
    const left = test.pool.session(targetOf(sshd), leaving.signal);
    const stayed = test.pool.session(targetOf(sshd));
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    expect((await (await stayed).exec('echo here')).stdout).toBe('here\n');
  });
});

describe('a lost connection', () => {
  it('is reported to its callers, and opened again on the next use', async () => {
    const test = await poolWith();
    const target = targetOf(sshd);
    const session = await test.pool.session(target);
    const running = session.exec('sleep 30');
    const outcome = expect(running).rejects.toMatchObject({ code: 'connection_lost', where: 'node 1' });
    await session.exec('true');
    sshd.dropConnections();
    await outcome;
    await expect(session.closed).resolves.toMatchObject({ code: 'connection_lost' });
    expect(test.states.at(-1)?.state).toBe('unreachable');
    await expect(session.exec('true')).rejects.toMatchObject({ code: 'connection_lost' });
    expect((await (await test.pool.session(target)).exec('echo again')).stdout).toBe('again\n');
    expect(test.person.questions).toHaveLength(1);
  });

  it('fault 16: is noticed without any answer, and processes there continue', async () => {
    const proxy = await startTcpProxy(sshd.port);
    undo.push(() => proxy.stop());
    const test = await poolWith({ timing: { keepaliveMs: 500 } });
    const session = await test.pool.session(targetOf(sshd, { port: proxy.port }));
    const file = `${sshd.home}/goes-on`;
    await session.run(`setsid sh -c 'sleep 2; echo done >${file}' >/dev/null 2>&1 </dev/null &`);
    const waiting = session.exec('sleep 30');
    const outcome = expect(waiting).rejects.toMatchObject({ code: 'connection_lost' });
    proxy.freeze();
    await expect(session.closed).resolves.toMatchObject({ code: 'connection_lost', where: 'node 1' });
    await outcome;
    proxy.thaw();
    const again = await test.pool.session(targetOf(sshd, { port: proxy.port }));
    await expect.poll(async () => (await again.exec(`cat ${file}`)).stdout).toBe('done\n');
  });

  it('is not one whose data arrives while the answers to keep-alive messages do not', async () => {
    const proxy = await startTcpProxy(sshd.port);
    undo.push(() => proxy.stop());
    const test = await poolWith({ timing: { keepaliveMs: 1000 } });
    const session = await test.pool.session(targetOf(sshd, { port: proxy.port }));
    let lines = 0;
    let closed = false;
    void session.closed.then(() => (closed = true));
    const script = 'while :; do echo line; sleep 0.1; done';
    const running = session.exec(script, { onOutput: (text) => (lines += text.split('\n').length - 1) });
    const outcome = expect(running).rejects.toMatchObject({ code: 'connection_lost' });
    await expect.poll(() => lines).toBeGreaterThan(0);
    proxy.freezeSent();
    // Sixty lines take 6 s; without an answer to any message the connection would end after 4 s.
    const wanted = lines + 60;
    await expect.poll(() => closed || lines >= wanted).toBe(true);
    expect(closed).toBe(false);
    proxy.freeze();
    await expect(session.closed).resolves.toMatchObject({ code: 'connection_lost' });
    await outcome;
  });

  it('fault 16: is noticed within 45 s with the app’s own intervals', async () => {
    const { defaultTiming } = await import('./attempt.ts');
    expect(defaultTiming.keepaliveMs * (defaultTiming.keepaliveMissed + 1)).toBeLessThanOrEqual(45_000);
  });
});

describe('a server that throttles', () => {
  // The messages of sshd.c's drop_connection in OpenSSH 9.8 and later.
  it.each([
    ['fault 14', 'Exceeded MaxStartups\r\n'],
    ['fault 15', 'Not allowed at this time\r\n'],
  ])('%s: is retried after a wait that is shown, until it accepts', async (_, words) => {
    const proxy = await startTcpProxy(sshd.port);
    undo.push(() => proxy.stop());
    // Refuses the first connections without or with a message, as earlier versions do.
    const throttling = createServer((socket) => {
      count += 1;
      if (count <= 3) socket.end(count === 2 ? words : '');
      else {
        const far = connectTo(proxy.port);
        socket.pipe(far).pipe(socket);
        for (const each of [socket, far]) each.on('error', () => undefined);
      }
    }).listen(0, '127.0.0.1');
    let count = 0;
    const { connect: connectTo } = await import('node:net');
    await once(throttling, 'listening');
    undo.push(async () => {
      throttling.close();
      await Promise.resolve();
    });
    const address = throttling.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const clock = hastyClock();
    const test = await poolWith({ clock });
    const session = await test.pool.session(targetOf(sshd, { port }));
    expect((await session.exec('echo in')).stdout).toBe('in\n');
    expect(clock.waits).toEqual([1875, 3750, 7500]);
    const reported = test.states.filter(({ retryAt }) => retryAt !== undefined);
    expect(reported.map(({ error }) => error?.params.seconds)).toEqual([2, 4, 8]);
    expect(test.states.at(-1)?.state).toBe('connected');
  });

  it('fault 14: is not retried without limit', async () => {
    const silent = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    undo.push(async () => {
      silent.close();
      await Promise.resolve();
    });
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const clock = hastyClock();
    const test = await poolWith({ clock });
    await expect(test.pool.session(targetOf(sshd, { port }))).rejects.toMatchObject({
      code: 'connection_refused_often',
      where: 'node 1',
    });
    expect(clock.waits).toHaveLength(4);
  });

  it('fault 14: is retried as a jump host, too, and named', async () => {
    const throttling = createServer((socket) => socket.end('Exceeded MaxStartups\r\n')).listen(
      0,
      '127.0.0.2',
    );
    await once(throttling, 'listening');
    undo.push(async () => {
      throttling.close();
      await Promise.resolve();
    });
    const address = throttling.address();
    const jump = {
      host: '127.0.0.2',
      port: typeof address === 'object' && address !== null ? address.port : 0,
      user: 'ada',
      authentication: { method: 'password' as const },
    };
    const clock = hastyClock();
    const test = await poolWith({ clock });
    await expect(test.pool.session(targetOf(sshd, { jump }))).rejects.toMatchObject({
      code: 'jump_failed',
      params: { hop: `ada@127.0.0.2:${jump.port}` },
      cause: { code: 'connection_refused_often', params: { host: '127.0.0.2', tries: 5 } },
      detail: expect.stringContaining('closed 5 connections') as unknown,
      where: 'node 1',
    });
    const reported = test.states.filter(({ retryAt }) => retryAt !== undefined);
    expect(reported.map(({ error }) => [error?.code, error?.params.host, error?.params.seconds])).toEqual(
      [2, 4, 8, 15].map((seconds) => ['connection_throttled', '127.0.0.2', seconds]),
    );
  });

  it('fault 14: accepts many nodes on one machine with a low limit, one after the other', async () => {
    const narrow = await sshdWith({ maxStartups: '3:100:3' });
    const test = await poolWith({ throttleTimes: { firstMs: 100, maxMs: 2000 } });
    await test.writeKnownHosts(`${narrow.knownHostsLine}\n`);
    const sessions = await Promise.all(
      Array.from({ length: 12 }, (_, index) => test.pool.session(targetOf(narrow, { nodeId: `n${index}` }))),
    );
    const answers = await Promise.all(sessions.map((session) => session.run('echo ok')));
    expect(answers).toEqual(Array.from({ length: 12 }, () => 'ok\n'));
  });
});

describe('a jump host', () => {
  const through = (
    jump: Sshd,
    change: Partial<ReturnType<typeof targetOf>> = {},
  ): ReturnType<typeof targetOf> =>
    targetOf(sshd, {
      jump: {
        host: jump.host,
        port: jump.port,
        user: jump.user,
        authentication: { method: 'key', keyFile: jump.keyFile },
      },
      ...change,
    });

  it('is connected through, its key checked as any other, and shared by the nodes behind it', async () => {
    const jump = await sshdWith();
    const test = await poolWith();
    const sessions = await Promise.all([
      test.pool.session(through(jump)),
      test.pool.session(through(jump, { nodeId: 'second' })),
    ]);
    expect((await sessions[0].exec('echo there')).stdout).toBe('there\n');
    const asked = test.person.questions.map(
      (question) => question.kind === 'host-key' && question.fingerprint,
    );
    expect(asked.filter((each) => each === jump.hostKeyFingerprint)).toHaveLength(1);
    expect(jump.log().match(/Accepted publickey/g)).toHaveLength(1);
    test.pool.drop('lab', 'node');
    await sessions[0].closed;
    expect((await sessions[1].exec('echo still')).stdout).toBe('still\n');
  });

  it('fault 21: is named when it dies, and the node behind it when that one dies', async () => {
    const jump = await sshdWith();
    const hop = `${jump.user}@127.0.0.1:${jump.port}`;
    const test = await poolWith();
    const session = await test.pool.session(through(jump));
    const running = expect(session.exec('sleep 30')).rejects.toMatchObject({
      code: 'jump_failed',
      params: { hop },
      cause: { code: 'connection_lost', params: { host: '127.0.0.1' } },
    });
    await session.exec('true');
    jump.dropConnections();
    await running;
    await expect(session.closed).resolves.toMatchObject({ code: 'jump_failed', params: { hop } });
    const again = await test.pool.session(through(jump));
    sshd.dropConnections();
    await expect(again.closed).resolves.toMatchObject({ code: 'connection_lost' });
  });

  it('fault 21: is named with its own error if it refuses or is missing', async () => {
    const port = await freePort();
    const test = await poolWith({ person: person(() => ({ kind: 'refuse' })) });
    const gone = through({ ...sshd, port });
    await expect(test.pool.session(gone)).rejects.toMatchObject({
      code: 'jump_failed',
      // `cause` crosses the wire, too: a window tries again where the jump host was away, and not where it refused.
      params: { hop: `${sshd.user}@127.0.0.1:${port}`, cause: 'host_refused' },
      cause: { code: 'host_refused' },
      detail: expect.stringContaining('refuses connections') as unknown,
    });
    expect(test.states.at(-1)?.state).toBe('unreachable');
    const jump = await sshdWith();
    await expect(test.pool.session(through(jump))).rejects.toMatchObject({
      code: 'jump_failed',
      params: { cause: 'host_key_unknown' },
      cause: { code: 'host_key_unknown' },
    });
    expect(test.states.at(-1)?.state).toBe('refused');
  });

  it('may be behind another: each is asked for once, and the one that dies is named', async () => {
    const [outer, inner] = [await sshdWith(), await sshdWith()];
    const hopOf = ({ host, port, user, keyFile }: Sshd) => ({
      ...{ host, port, user },
      authentication: { method: 'key' as const, keyFile },
    });
    const chain = (nodeId: string) =>
      targetOf(sshd, { nodeId, jump: { ...hopOf(inner), jump: hopOf(outer) } });
    const test = await poolWith({ person: trusting() });
    const sessions = await Promise.all([
      test.pool.session(chain('node')),
      test.pool.session(chain('second')),
    ]);
    for (const session of sessions) expect((await session.exec('echo there')).stdout).toBe('there\n');
    for (const hop of [outer, inner]) expect(hop.log().match(/Accepted publickey/g)).toHaveLength(1);
    outer.dropConnections();
    await expect(sessions[0].closed).resolves.toMatchObject({
      code: 'jump_failed',
      params: { hop: `${outer.user}@127.0.0.1:${outer.port}` },
    });
    test.pool.drop('lab', 'second');
    await sessions[1].closed;
  });

  it('waits for a node behind it no longer than for any other', async () => {
    const gate = await startSilentGate(sshd.port);
    undo.push(() => gate.stop());
    const test = await poolWith({ timing: { connectMs: 300 } });
    await expect(test.pool.session(targetOf(sshd, { port: 9, jump: gate.hop }))).rejects.toMatchObject({
      code: 'host_unreachable',
      params: { port: 9, reason: expect.stringContaining('timed out, from ') as unknown },
      where: 'node 1',
    });
  });

  it('keeps neither other nodes nor the app’s end waiting for a node that does not answer', async () => {
    const gate = await startSilentGate(sshd.port);
    undo.push(() => gate.stop());
    const test = await poolWith({ timing: { connectMs: 3_600_000 } });
    const leaving = new AbortController();
    const dead = [1, 2, 3, 4, 5, 6].map((port) =>
      test.pool.session(targetOf(sshd, { nodeId: `dead ${port}`, port, jump: gate.hop }), leaving.signal),
    );
    const left = Promise.all(dead.map((each) => expect(each).rejects.toMatchObject({ code: 'cancelled' })));
    await expect.poll(() => gate.waiting()).toBe(6);
    const living = await test.pool.session(targetOf(sshd, { jump: gate.hop }));
    expect((await living.exec('echo there')).stdout).toBe('there\n');
    leaving.abort();
    await left;
    const last = test.pool.session(targetOf(sshd, { nodeId: 'last', port: 9, jump: gate.hop }));
    const ended = expect(last).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => gate.waiting()).toBe(7);
    await test.pool.close();
    await ended;
  });

  it('gets few logins at once, also by several accounts', async () => {
    const silent = await startTcpProxy(undefined);
    undo.push(() => silent.stop());
    const test = await poolWith();
    const sessions = [1, 2, 3, 4, 5, 6].map((index) => {
      const jump = { host: '127.0.0.1', port: silent.port, user: `u${index}` };
      const authentication = { method: 'password' as const };
      return test.pool.session(targetOf(sshd, { nodeId: `n${index}`, jump: { ...jump, authentication } }));
    });
    const ended = Promise.all(
      sessions.map((one) => expect(one).rejects.toMatchObject({ code: 'cancelled' })),
    );
    await expect.poll(() => silent.accepted()).toBe(4);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(silent.accepted()).toBe(4);
    await test.pool.close();
    await ended;
  });

  it('reports that it cannot reach the node', async () => {
    const jump = await sshdWith();
    const port = await freePort();
    const test = await poolWith({ person: trusting() });
    await expect(test.pool.session(through(jump, { port }))).rejects.toMatchObject({
      code: 'host_unreachable',
      params: { port, reason: expect.stringContaining('from ') as unknown },
    });
  });
});
