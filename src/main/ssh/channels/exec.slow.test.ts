import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SshSession } from '../contract.ts';
import { shellQuote } from './shell-quote.ts';
import { connectedNode, kindsOfServer, type ConnectedNode, type TestNode } from '../testing/nodes.ts';
import { targetOf, testPool, type TestPool } from '../testing/pool.ts';
import { endProcess, isAlive } from '../testing/processes.ts';
import { startSshd, type SshdOptions } from '../testing/sshd.ts';

describe.each(kindsOfServer)('commands on %s', (_name, start) => {
  let connected: ConnectedNode;
  let node: TestNode;
  let test: TestPool;
  let session: SshSession;
  beforeAll(async () => {
    connected = await connectedNode(start);
    ({ node, test, session } = connected);
  });
  afterAll(() => connected.close());

  it('return exit code, output and errors', async () => {
    await expect(session.exec('echo out; echo err >&2; exit 3')).resolves.toEqual({
      code: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
    });
  });

  it('report the signal that ended them', async () => {
    const { code, signal } = await session.exec('kill -TERM $$');
    expect([code, signal]).toEqual([null, 'TERM']);
  });

  it('run under a plain sh in the home folder’s environment', async () => {
    expect(await session.run('echo "$0 $HOME"')).toMatch(new RegExp(`sh ${node.home}\n$`));
    expect(await session.home()).toBe(node.home);
  });

  it('throw on failure if requested, with the last lines', async () => {
    await expect(session.run('echo "what went wrong" >&2; exit 4')).rejects.toMatchObject({
      code: 'command_failed',
      params: { code: 4 },
      detail: 'what went wrong',
      where: 'node 1',
    });
  });

  it('fault 07: accept scripts of any characters, any number of lines and any length', async () => {
    const odd = `it's "数据 集" 🚀 \\n $HOME \`id\` !x %s\ttab\nsecond line\n`;
    expect(await session.run(`printf %s ${shellQuote(odd)}`)).toBe(odd);
    const long = '0123456789'.repeat(30_000);
    expect((await session.run(`cat <<'END'\n${long}\nEND`)).length).toBe(long.length + 1);
    expect(await session.run('f() {\n  echo "in $1"\n}\nf a\nf b')).toBe('in a\nin b\n');
  });

  it('receive exactly the given bytes on standard input, then its end', async () => {
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 256));
    expect(await session.run('cat | od -An -v -tu1 | wc -w', { stdin: bytes })).toMatch(/^\s*200000\s*$/);
    expect(await session.run('cat', { stdin: '密码 with\nlines' })).toBe('密码 with\nlines');
    expect(await session.run('cat; echo ended')).toBe('ended\n');
    expect(await session.run('read -r a; echo "a=$a"; cat', { stdin: 'one\ntwo\n' })).toBe('a=one\ntwo\n');
  });

  it('ignore standard input that nobody reads', async () => {
    const result = await session.exec('exit 5', { stdin: Buffer.alloc(3_000_000) });
    expect(result.code).toBe(5);
  });

  it('keep the newest part of long output, and report all of it as it arrives', async () => {
    let reported = 0;
    const result = await session.exec('i=0; while [ $i -lt 20000 ]; do echo "行 $i"; i=$((i+1)); done', {
      maxOutputBytes: 1000,
      onOutput: (text) => {
        reported += text.length;
        expect(text).not.toContain('\uFFFD');
      },
    });
    expect(Buffer.byteLength(result.stdout)).toBeLessThanOrEqual(1000);
    expect(result.stdout).toMatch(/行 19999\n$/);
    expect(result.stdout).not.toContain('\uFFFD');
    expect(reported).toBe(Array.from({ length: 20_000 }, (_, index) => `行 ${index}\n`).join('').length);
  });

  it('get SIGHUP at their time-out, with all their processes', async () => {
    const file = join(node.home, 'pids');
    const script = `sleep 100 & echo $! >${file}; echo $$ >>${file}; wait`;
    await expect(session.exec(script, { timeoutMs: 2000 })).rejects.toMatchObject({
      code: 'command_timeout',
      params: { command: script },
    });
    const pids = (await readFile(file, 'utf8')).trim().split('\n').map(Number);
    expect(pids).toHaveLength(2);
    await expect.poll(() => pids.some(isAlive)).toBe(false);
  });

  it('get SIGHUP when they are cancelled, and SIGKILL if they do not exit', async () => {
    const file = join(node.home, 'stubborn');
    const stopping = new AbortController();
    const running = session.exec(`trap '' HUP TERM; echo $$ >${file}; while :; do sleep 1; done`, {
      signal: stopping.signal,
    });
    // Checks the content: the shell creates the file before it writes.
    await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toMatch(/^\d+\n$/);
    stopping.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    const pid = Number(await readFile(file, 'utf8'));
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(await session.run('echo next')).toBe('next\n');
  });

  it('may leave a detached process that outlives the connection', async () => {
    const file = join(node.home, 'detached');
    await session.run(`setsid sleep 60 >/dev/null 2>&1 </dev/null & echo $! >${file}`);
    const pid = Number(await readFile(file, 'utf8'));
    test.pool.drop('lab', 'node');
    await session.closed;
    session = await test.pool.session(node.target);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isAlive(pid)).toBe(true);
    endProcess(pid);
  });

  it('do not wait for a background process that holds their output', async () => {
    const result = await session.exec('sleep 600 & echo started $!');
    expect(result.code).toBe(0);
    expect(result.stdout).toMatch(/^started \d+\n$/);
    const pid = Number(result.stdout.split(' ')[1]);
    expect(isAlive(pid)).toBe(true);
    endProcess(pid);
  });

  it('run in larger numbers than the server has channels', async () => {
    const all = await Promise.all(Array.from({ length: 30 }, (_, index) => session.run(`echo ${index}`)));
    expect(all).toEqual(Array.from({ length: 30 }, (_, index) => `${index}\n`));
  });
});

describe('login shells and their start-up files', () => {
  const undo: (() => Promise<void>)[] = [];
  const sessionOn = async (options: SshdOptions): Promise<SshSession> => {
    const sshd = await startSshd(options);
    undo.push(() => sshd.stop());
    const test = await testPool();
    undo.push(() => test.close());
    return await test.pool.session(targetOf(sshd));
  };
  const check = async (session: SshSession): Promise<void> => {
    const odd = `it's "x" $HOME !! 数据 🚀\n`;
    await expect(
      session.exec(`printf %s ${shellQuote(odd)}; cat; echo e >&2; exit 7`, { stdin: 'in!\n' }),
    ).resolves.toEqual({ code: 7, signal: null, stdout: `${odd}in!\n`, stderr: 'e\n' });
  };
  afterEach(async () => {
    for (const each of undo.splice(0).reverse()) await each();
  });

  it('fault 19: output of .bashrc, on both streams, is not in the output', async () => {
    const bashrc = 'echo "Welcome, 欢迎!"; printf "no newline"; echo noise >&2; alias ls=false\n';
    const session = await sessionOn({ bashrc });
    expect(await session.home()).toMatch(/^\/.*home$/);
    await check(session);
  });

  it('fault 19: very long output of .bashrc is not in the output', async () => {
    const session = await sessionOn({ bashrc: 'seq 1 100000; seq 1 100000 >&2\n' });
    await check(session);
  });

  const shells = ['/usr/bin/fish', '/usr/bin/tcsh', '/usr/bin/zsh', '/bin/dash'];
  for (const shell of shells) {
    it.skipIf(!existsSync(shell))(`fault 19: ${shell} as login shell works`, async () => {
      await check(await sessionOn({ loginShell: shell }));
    });
  }

  it('fault 19: a shell that supports only single-quoted words on one line, as csh, works', async () => {
    // Simulates csh where that is not installed: refuses what csh would change or not parse.
    const folder = await mkdtemp(join(tmpdir(), 'ringlab-shell-'));
    undo.push(() => rm(folder, { recursive: true }));
    const shell = join(folder, 'picky');
    const script =
      '#!/bin/sh\necho "picky shell"\ncase $2 in *!*|*"\n"*|*\'$(\'*|*"\\\\"*) echo "Illegal variable name." >&2; exit 1;; esac\nexec /bin/sh -c "$2"\n';
    await writeFile(shell, script);
    await chmod(shell, 0o755);
    await check(await sessionOn({ loginShell: shell }));
  });

  it('reports the message of an account without a shell', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ringlab-shell-'));
    undo.push(() => rm(folder, { recursive: true }));
    const shell = join(folder, 'nologin');
    await writeFile(shell, '#!/bin/sh\necho "This account is currently not available."\nexit 1\n');
    await chmod(shell, 0o755);
    const session = await sessionOn({ loginShell: shell });
    await expect(session.exec('echo hello')).rejects.toMatchObject({
      code: 'login_shell_none',
      detail: 'This account is currently not available.',
    });
  });
});

describe('few channels', () => {
  const undo: (() => Promise<void>)[] = [];
  const sessionWith = async (maxSessions: number): Promise<SshSession> => {
    const sshd = await startSshd({ maxSessions });
    undo.push(() => sshd.stop());
    const test = await testPool();
    undo.push(() => test.close());
    return await test.pool.session(targetOf(sshd));
  };
  afterEach(async () => {
    for (const each of undo.splice(0).reverse()) await each();
  });

  it.each([1, 2, 3])('fault 13: with MaxSessions %i commands queue and all complete', async (maxSessions) => {
    const session = await sessionWith(maxSessions);
    const work = Array.from({ length: 20 }, (_, index) => session.run(`sleep 0.02; echo ${index}`));
    expect(await Promise.all(work)).toEqual(Array.from({ length: 20 }, (_, index) => `${index}\n`));
  });

  it('fault 13: with MaxSessions 1 a file is uploaded and downloaded between commands', async () => {
    const session = await sessionWith(1);
    const bytes = Buffer.alloc(500_000, 'ring');
    const folder = await mkdtemp(join(tmpdir(), 'ringlab-few-'));
    undo.push(() => rm(folder, { recursive: true }));
    const [sent, said] = await Promise.all([
      session.upload({ bytes }, '~/a/b.bin'),
      session.run('echo meanwhile'),
    ]);
    expect([sent.sent, said]).toEqual([500_000, 'meanwhile\n']);
    await Promise.all([session.download('~/a/b.bin', join(folder, 'b')), session.run('true')]);
    expect(await readFile(join(folder, 'b'))).toEqual(bytes);
  });

  it('fault 13: with MaxSessions 1 watching commands yield, and are refused while others wait', async () => {
    const session = await sessionWith(1);
    let ticks = 0;
    const watching = session.exec('while :; do sleep 0.1; echo tick; done', {
      yields: true,
      onOutput: () => (ticks += 1),
    });
    const outcome = expect(watching).rejects.toMatchObject({ code: 'channel_refused' });
    await expect.poll(() => ticks).toBeGreaterThan(0);
    expect(await session.run('echo first')).toBe('first\n');
    await outcome;
    await expect(session.exec('sleep 1', { yields: true })).rejects.toMatchObject({
      code: 'channel_refused',
    });
  });

  it('with MaxSessions 1 a terminal gets its own connection, and commands go on', async () => {
    const session = await sessionWith(1);
    const running = session.run('sleep 1; echo done');
    const terminal = await session.terminal({ columns: 80, rows: 24 });
    let shown = '';
    terminal.onData((chunk) => (shown += chunk.toString()));
    terminal.write('echo $((40+2)); exit 3\r');
    expect(await running).toBe('done\n');
    expect(await session.run('echo beside')).toBe('beside\n');
    expect(await terminal.ended).toBe(3);
    expect(shown).toContain('42');
  });

  it('fault 13: a watching command that yields also ends on the node, even without output', async () => {
    const session = await sessionWith(1);
    let pid = 0;
    const watching = session.exec('echo $$; sleep 100', {
      yields: true,
      onOutput: (text) => (pid = Number(text)),
    });
    const outcome = expect(watching).rejects.toMatchObject({ code: 'channel_refused' });
    await expect.poll(() => pid).toBeGreaterThan(1);
    expect(await session.run('echo first')).toBe('first\n');
    await outcome;
    expect(isAlive(pid)).toBe(false);
  });

  it('watches in parallel with commands if there are enough channels', async () => {
    const session = await sessionWith(10);
    let ticks = 0;
    const leaving = new AbortController();
    const watching = session.exec('while :; do sleep 0.05; echo tick; done', {
      yields: true,
      signal: leaving.signal,
      onOutput: () => (ticks += 1),
    });
    const outcome = expect(watching).rejects.toMatchObject({ code: 'cancelled' });
    await Promise.all(Array.from({ length: 12 }, () => session.run('sleep 0.1')));
    await expect.poll(() => ticks).toBeGreaterThan(2);
    leaving.abort();
    await outcome;
  });

  it('reports a server that opens no channel', async () => {
    const { createChannelGate, ChannelRefused } = await import('./channel-gate.ts');
    const waits: number[] = [];
    const clock = {
      ticks: () => waits.reduce((sum, each) => sum + each, 0),
      random: () => 0.5,
      sleep: (ms: number) => Promise.resolve(void waits.push(ms)),
    };
    const gate = createChannelGate('node', clock);
    const refuse = (): Promise<never> => Promise.reject(new ChannelRefused('open failed'));
    await expect(gate.open(refuse)).rejects.toMatchObject({
      code: 'channel_refused',
      params: { host: 'node' },
    });
    expect(waits.reduce((sum, each) => sum + each, 0)).toBeLessThan(12_000);
  });
});
