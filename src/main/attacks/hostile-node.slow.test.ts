/** Fault 41: a node whose answers are endless, huge, slow, binary or invalid fails alone, with a reason. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RinglabError } from '../../shared/base/errors.ts';
import type { SshSession } from '../ssh/index.ts';
import { person, testPool, type TestPool } from '../ssh/testing/pool.ts';
import { startOwn, type TestNode } from '../ssh/testing/nodes.ts';
import {
  channelNumber,
  endless,
  rawProtocol,
  startHostileNode,
  type HostileManner,
  type HostileNode,
} from './hostile-node/server.ts';

let pool: TestPool;
let good: TestNode;
let node: HostileNode | undefined;

beforeAll(async () => {
  good = await startOwn();
  pool = await testPool({
    person: person((question) => {
      if (question.kind === 'password') return { kind: 'secret', secret: 'open', remember: false };
      if (question.kind === 'interactive') return { kind: 'answers', answers: [] };
      return { kind: 'refuse' };
    }),
  });
});
afterEach(async () => {
  await node?.stop();
  node = undefined;
});
afterAll(async () => {
  await pool.close();
  await good.stop();
});

let count = 0;
const meet = async (manner: HostileManner): Promise<SshSession> => {
  count += 1;
  node = await startHostileNode(manner, `hostile ${count}`);
  return await pool.pool.session(node.target);
};
const codeOf = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => 'none',
    (error: unknown) => (error as RinglabError).code,
  );

/** Does what may be attacked while a good node is asked one thing after the other. Returns how often that answered. */
async function beside<T>(work: Promise<T>): Promise<{ value: T; answered: number }> {
  const session = await pool.pool.session(good.target);
  let answered = 0;
  let over = false;
  const asking = (async () => {
    while (!over) {
      expect(await session.run('printf alive')).toBe('alive');
      answered += 1;
    }
  })();
  const value = await work.finally(() => {
    over = true;
  });
  await asking;
  return { value, answered };
}

const said =
  (text: string): NonNullable<HostileManner['command']> =>
  (call) => {
    call.begin();
    endless(call.channel, Buffer.from(text));
    return true;
  };

const endings: readonly (readonly [string, HostileManner, readonly string[]])[] = [
  ['output without an end', { command: said('A'.repeat(30_000)) }, ['node_nonsense']],
  [
    'a greeting without an end',
    {
      command: ({ channel }) => {
        endless(channel, Buffer.alloc(30_000, '\x1b]0;pwned\x07'));
        return true;
      },
    },
    ['login_shell_endless'],
  ],
  [
    'a process number without an end',
    {
      command: (call) => {
        call.begin('9'.repeat(20_000));
        return true;
      },
    },
    ['node_nonsense'],
  ],
  [
    'a command that never ends, on a channel that never closes',
    {
      command: (call) => {
        call.begin();
        return true;
      },
    },
    ['command_timeout'],
  ],
  ['a command that never begins', { command: () => true }, ['command_timeout', 'login_shell_waits']],
  [
    'a channel that closes without an exit code',
    {
      command: (call) => {
        call.begin();
        call.channel.end();
        call.channel.close();
        return true;
      },
    },
    ['connection_lost'],
  ],
  ['packets of no bytes', { packetSize: 0 }, ['node_nonsense']],
  ['packets of one byte', { packetSize: 1 }, ['node_nonsense']],
  [
    'keys renegotiated without end',
    {
      connected(connection) {
        // ssh2 gives no event after a rekey of its own: one begins as the last is done.
        const again = (): void => connection.rekey(() => setImmediate(again));
        again();
      },
      command: () => true,
    },
    ['node_nonsense'],
  ],
  [
    'requests without end',
    {
      connected(connection) {
        const timer = setInterval(() => {
          for (let i = 0; i < 200; i += 1) rawProtocol(connection).ping();
        }, 1);
        connection.once('close', () => clearInterval(timer));
      },
      command: () => true,
    },
    ['node_nonsense'],
  ],
];

describe('fault 41: a hostile node at the SSH layer', () => {
  it.each(endings)('%s', async (_what, manner, codes) => {
    const session = await meet(manner);
    const { value, answered } = await beside(
      codeOf(session.run('echo hello', { timeoutMs: codes.includes('command_timeout') ? 1500 : 25_000 })),
    );
    expect(codes).toContain(value);
    expect(answered).toBeGreaterThan(0);
  });

  it('endless output on the shell for short commands is cut off', async () => {
    const session = await meet({ command: said('A'.repeat(30_000)) });
    expect(await codeOf(session.run('echo hello', { brief: true, timeoutMs: 25_000 }))).toBe('node_nonsense');
  });

  it('many small pieces of output cost no more memory than their bytes', async () => {
    const session = await meet({
      command: (call) => {
        call.begin();
        for (let i = 0; i < 20_000; i += 1) call.channel.write('x');
        call.end();
        return true;
      },
    });
    const result = await session.exec('true', { maxOutputBytes: 5000 });
    expect(result.stdout).toBe('x'.repeat(5000));
  });

  it('channels whose end is never confirmed are released', async () => {
    const session = await meet({
      command: (call) => {
        if (call.script.startsWith('echo later')) return false;
        call.begin();
        return true;
      },
    });
    const hung = Array.from({ length: 8 }, () => codeOf(session.run('sleep 9', { timeoutMs: 200 })));
    expect(new Set(await Promise.all(hung))).toEqual(new Set(['command_timeout']));
    expect(await session.run('echo later', { timeoutMs: 20_000 })).toBe('later\n');
  });

  it('more data than the window allows ends the connection, even if nobody reads', async () => {
    const session = await meet({
      command: (call) => {
        const protocol = rawProtocol(call.connection);
        const id = channelNumber(call.channel);
        const piece = Buffer.alloc(32_000, 'A');
        const timer = setInterval(() => {
          for (let i = 0; i < 50; i += 1) protocol.channelData(id, piece);
        }, 1);
        call.connection.once('close', () => clearInterval(timer));
        return true;
      },
    });
    const terminal = await session.terminal({ columns: 80, rows: 24 });
    terminal.onData(() => undefined);
    terminal.pause();
    expect((await session.closed)?.code).toBe('node_nonsense');
  });

  it('ten thousand prompts are not shown to the user', async () => {
    const asked = pool.person.questions.length;
    const connecting = meet({
      login(context) {
        if (context.method !== 'keyboard-interactive') {
          context.reject(['keyboard-interactive']);
          return;
        }
        const prompts = Array.from({ length: 2000 }, () => ({ prompt: 'x: ', echo: true }));
        context.prompt(prompts, 'Hello', '', () => context.reject());
      },
    });
    expect(await codeOf(connecting)).toBe('node_nonsense');
    expect(pool.person.questions.slice(asked).filter(({ kind }) => kind === 'interactive')).toEqual([]);
  });

  it('megabytes before the SSH identification are refused within the handshake time-out', async () => {
    const connecting = meet({
      socket(socket) {
        const line = Buffer.from(`${'banner '.repeat(1000)}\r\n`);
        const more = (): void => {
          while (socket.writable && socket.write(line));
          if (socket.writable) socket.once('drain', more);
        };
        more();
        return true;
      },
    });
    expect([
      'handshake_timeout',
      'host_unreachable',
      'connection_refused_often',
      'login_cut',
      'login_timeout',
      'node_nonsense',
    ]).toContain(await codeOf(connecting));
  });
});
