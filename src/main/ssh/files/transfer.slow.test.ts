import { execFileSync, spawn } from 'node:child_process';
import { createCipheriv, createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SshSession } from '../contract.ts';
import { connectedNode, kindsOfServer, type ConnectedNode, type TestNode } from '../testing/nodes.ts';
import { targetOf, testPool, type TestPool } from '../testing/pool.ts';
import { startSshd, type SshdOptions } from '../testing/sshd.ts';
import { startTcpProxy } from '../testing/tcp-proxy.ts';
import { partName } from './upload.ts';

/** Bytes without repetition, deterministic. */
const content = (size: number, seed = 'ringlab'): Buffer =>
  createCipheriv('aes-256-ctr', createHash('sha256').update(seed).digest(), Buffer.alloc(16)).update(
    Buffer.alloc(size),
  );

/** Vitest's own comparison checks byte by byte, which takes seconds. */
const expectSame = (got: Buffer, wanted: Buffer): void => {
  expect(got.length).toBe(wanted.length);
  expect(got.equals(wanted)).toBe(true);
};

let here = '';
const undo: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  here = await mkdtemp(join(tmpdir(), 'ringlab-here-'));
});
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
  await rm(here, { recursive: true, force: true });
});

const account = ({ hostKey, target }: SshSession): string => `${hostKey} ${target.user}`;

const parts = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.part'));

describe.each(kindsOfServer)('files on %s', (_name, start) => {
  let connected: ConnectedNode;
  let node: TestNode;
  let test: TestPool;
  let session: SshSession;
  beforeAll(async () => {
    connected = await connectedNode(start);
    ({ node, test, session } = connected);
  });
  afterAll(() => connected.close());

  it.each([0, 1, 1000, 65_536, 65_537, 3_000_000])('%i bytes are uploaded and downloaded', async (size) => {
    const bytes = content(size);
    const from = join(here, 'from');
    await writeFile(from, bytes);
    const there = `~/sizes/${size}.bin`;
    const progress: number[] = [];
    await expect(
      session.upload({ path: from }, there, { onProgress: ({ done }) => progress.push(done) }),
    ).resolves.toEqual({ sent: size });
    expectSame(await readFile(join(node.home, 'sizes', `${size}.bin`)), bytes);
    expect(progress.at(-1)).toBe(size);
    expect([...progress].sort((a, b) => a - b)).toEqual(progress);
    const to = join(here, 'new folder', 'to');
    await expect(session.download(there, to)).resolves.toEqual({ bytes: size });
    expectSame(await readFile(to), bytes);
    expect(await parts(join(node.home, 'sizes'))).toEqual([]);
    expect(await parts(join(here, 'new folder'))).toEqual([]);
  });

  it('with equal content are not sent, and their mode is set', async () => {
    const bytes = content(200_000);
    const path = `${node.home}/same.sh`;
    expect(await session.upload({ bytes }, path, { mode: 0o600 })).toEqual({ sent: 200_000 });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await session.upload({ bytes }, path, { mode: 0o755 })).toEqual({ sent: 0 });
    expect((await stat(path)).mode & 0o777).toBe(0o755);
    const changed = content(200_000, 'other');
    expect(await session.upload({ bytes: changed }, path)).toEqual({ sent: 200_000 });
    expectSame(await readFile(path), changed);
  });

  it('fault 07: may have names with spaces, quotes, emoji, Chinese and a leading dash', async () => {
    const odd = `-it's "a" 数据 🚀 $HOME;x*`;
    const bytes = content(100_000);
    await session.upload({ bytes }, `~/目录 with "quotes"/${odd}`);
    expectSame(await readFile(join(node.home, '目录 with "quotes"', odd)), bytes);
    const to = join(here, '去 处', odd);
    await session.download(`~/目录 with "quotes"/${odd}`, to);
    expectSame(await readFile(to), bytes);
  });

  it('uploaded twice to one path take turns', async () => {
    const [a, b] = [content(300_000, 'a'), content(300_000, 'b')];
    await Promise.all([session.upload({ bytes: a }, '~/turns'), session.upload({ bytes: b }, '~/turns')]);
    expectSame(await readFile(join(node.home, 'turns')), b);
  });

  it('uploaded by two nodes that are one account take turns', async () => {
    const other = await test.pool.session({ ...node.target, labId: 'other', nodeId: 'other' });
    const bytes = content(3_000_000, 'turns');
    const sent = await Promise.all(
      [session, other].map((one) => one.upload({ bytes }, '~/accounts/one.bin')),
    );
    expect(sent.map((each) => each.sent).sort((a, b) => a - b)).toEqual([0, bytes.length]);
  });

  it('uploaded by two machines into one home on a shared file system do not disturb each other', async () => {
    const machine = await connectedNode(start);
    undo.push(() => machine.close());
    const bytes = content(6_000_000, 'one home');
    const path = join(node.home, 'shared', 'one.bin');
    await Promise.all([session, machine.session].map((one) => one.upload({ bytes }, path)));
    expectSame(await readFile(path), bytes);
    expect(await parts(join(node.home, 'shared'))).toEqual([]);
  });

  it('of equal content are sent to several names at once', async () => {
    const bytes = content(300_000);
    await Promise.all(['x', 'y', 'z'].map((name) => session.upload({ bytes }, `~/several/${name}`)));
    expect((await readdir(join(node.home, 'several'))).sort()).toEqual(['x', 'y', 'z']);
    expectSame(await readFile(join(node.home, 'several', 'z')), bytes);
  });

  it('leave no channel open, however many', async () => {
    const bytes = content(70_000);
    for (let index = 0; index < 24; index += 1) await session.upload({ bytes }, `~/many/${index}`);
    expect(await readdir(join(node.home, 'many'))).toHaveLength(24);
    expect(await session.run('echo on')).toBe('on\n');
  });

  it('stop when cancelled, and resume the next time', async () => {
    const bytes = content(8_000_000);
    const stopping = new AbortController();
    await expect(
      session.upload({ bytes }, '~/cancelled', {
        signal: stopping.signal,
        onProgress: ({ done }) => done > 3_000_000 && stopping.abort(),
      }),
    ).rejects.toMatchObject({ code: 'cancelled' });
    expect(existsSync(join(node.home, 'cancelled'))).toBe(false);
    const { sent } = await session.upload({ bytes }, '~/cancelled');
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(6_000_000);
    expectSame(await readFile(join(node.home, 'cancelled')), bytes);
  });

  it('are sent from the start if an earlier partial file differs', async () => {
    const bytes = content(1_000_000);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const part = join(node.home, partName('over', hash, account(session)));
    await writeFile(part, content(500_000, 'something else'));
    expect(await session.upload({ bytes }, '~/over')).toEqual({ sent: 1_000_000 });
    expectSame(await readFile(join(node.home, 'over')), bytes);
    await writeFile(join(node.home, partName('again', hash, account(session))), bytes.subarray(0, 700_000));
    expect(await session.upload({ bytes }, '~/again')).toEqual({ sent: 300_000 });
    expectSame(await readFile(join(node.home, 'again')), bytes);
  });

  it('with a wrong path are reported', async () => {
    await mkdir(join(node.home, 'a folder'), { recursive: true });
    const bytes = content(10);
    await expect(session.upload({ bytes }, '~/a folder')).rejects.toMatchObject({
      code: 'transfer_failed',
      params: { reason: 'there is a folder of that name' },
      where: 'node 1',
    });
    await expect(session.upload({ bytes }, 'relative')).rejects.toMatchObject({ code: 'transfer_failed' });
    await expect(session.upload({ path: join(here, 'none') }, '~/x')).rejects.toMatchObject({
      code: 'file_unreadable',
    });
    await expect(session.download('~/none', join(here, 'x'))).rejects.toMatchObject({
      code: 'transfer_failed',
      params: { path: '~/none', reason: 'it does not exist on the node' },
    });
    await writeFile(join(here, 'file'), '');
    await session.upload({ bytes }, '~/fine');
    await expect(session.download('~/fine', join(here, 'file', 'x'))).rejects.toMatchObject({
      code: 'file_unwritable',
    });
  });

  it('fault 18: that arrive damaged are removed and reported, and the old file stays', async () => {
    await session.upload({ bytes: Buffer.from('the old one') }, '~/kept');
    const bytes = content(2_000_000);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const part = join(node.home, partName('kept', hash, account(session)));
    let spoiled = false;
    // A disk that stores something other than what was written.
    const spoil = ({ done, total }: { done: number; total: number }): void => {
      if (done < total || spoiled) return;
      spoiled = true;
      execFileSync('/bin/sh', ['-c', `printf X | dd of=${part} bs=1 seek=1000 conv=notrunc 2>/dev/null`]);
    };
    await expect(session.upload({ bytes }, '~/kept', { onProgress: spoil })).rejects.toMatchObject({
      code: 'hash_mismatch',
      params: { path: `${node.home}/kept` },
    });
    expect(await readFile(join(node.home, 'kept'), 'utf8')).toBe('the old one');
    expect(existsSync(part)).toBe(false);
    expect(await session.upload({ bytes }, '~/kept')).toEqual({ sent: 2_000_000 });
  });

  it('fault 18: replaced during a download are read once more, never mixed', async () => {
    const [before, after] = [content(4_000_000, 'before'), content(5_000_000, 'after')];
    const path = join(node.home, 'checkpoint');
    await writeFile(path, before);
    await writeFile(`${path}.new`, after);
    let replaced = false;
    const replace = ({ done }: { done: number }): void => {
      if (replaced || done < 100_000) return;
      replaced = true;
      // Overwritten in place, unlike a trainer's files: the open handle reads both versions.
      execFileSync('cp', [`${path}.new`, path]);
    };
    const to = join(here, 'checkpoint');
    await session.download('~/checkpoint', to, { onProgress: replace });
    expectSame(await readFile(to), after);
  });

  it('that grow meanwhile come as they were when they were looked at', async () => {
    const path = join(node.home, 'train.log');
    const before = content(2_000_000);
    await writeFile(path, before);
    const writer = spawn('sh', ['-c', 'while :; do echo "a line of a log" >>"$0"; done', path]);
    try {
      await expect.poll(async () => (await stat(path)).size).toBeGreaterThan(before.length);
      const to = join(here, 'train.log');
      const { bytes } = await session.download('~/train.log', to);
      const got = await readFile(to);
      expect(got.length).toBe(bytes);
      expectSame(got, (await readFile(path)).subarray(0, bytes));
    } finally {
      writer.kill('SIGKILL');
    }
  });

  it('resume an interrupted download', async () => {
    const bytes = content(6_000_000);
    await writeFile(join(node.home, 'model'), bytes);
    const stopping = new AbortController();
    const to = join(here, 'model');
    await expect(
      session.download('~/model', to, {
        signal: stopping.signal,
        onProgress: ({ done }) => done > 2_000_000 && stopping.abort(),
      }),
    ).rejects.toMatchObject({ code: 'cancelled' });
    expect(existsSync(to)).toBe(false);
    const progress: number[] = [];
    await session.download('~/model', to, { onProgress: ({ done }) => progress.push(done) });
    expect(progress[0]).toBeGreaterThan(1_000_000);
    expectSame(await readFile(to), bytes);
  });

  it('fault 17: keep the old version after a reset connection, and the next attempt resumes', async () => {
    const proxy = await startTcpProxy(node.target.port);
    undo.push(() => proxy.stop());
    const other = await testPool();
    undo.push(() => other.close());
    const target = { ...node.target, port: proxy.port };
    await session.upload({ bytes: Buffer.from('the old one') }, '~/reset');
    const bytes = content(8_000_000);
    const through = await other.pool.session(target);
    const sending = through.upload({ bytes }, '~/reset', {
      onProgress: ({ done }) => done > 4_000_000 && proxy.reset(),
    });
    await expect(sending).rejects.toMatchObject({ code: 'connection_lost', where: 'node 1' });
    expect(await readFile(join(node.home, 'reset'), 'utf8')).toBe('the old one');
    const again = await other.pool.session(target);
    const { sent } = await again.upload({ bytes }, '~/reset');
    expect(sent).toBeLessThan(5_000_000);
    expectSame(await readFile(join(node.home, 'reset')), bytes);
  });
});

describe('servers without SFTP', () => {
  const sessionOn = async (options: SshdOptions): Promise<{ session: SshSession; home: string }> => {
    const sshd = await startSshd(options);
    undo.push(() => sshd.stop());
    const test = await testPool();
    undo.push(() => test.close());
    return { session: await test.pool.session(targetOf(sshd)), home: sshd.home };
  };

  it.each([
    ['it is off', { sftp: 'off' }],
    ['it is not installed', { extraConfig: ['Subsystem sftp /nonexistent/sftp-server'], sftp: 'off' }],
    ['the .bashrc prints into it', { sftp: 'external', bashrc: 'echo "Welcome to the cluster"\n' }],
  ] satisfies [string, SshdOptions][])(
    'fault 20: transfers files by commands if %s',
    async (_why, options) => {
      const { session, home } = await sessionOn(options);
      const bytes = content(3_000_000);
      const progress: number[] = [];
      expect(
        await session.upload({ bytes }, '~/数 据/up', { onProgress: ({ done }) => progress.push(done) }),
      ).toEqual({ sent: 3_000_000 });
      expect(progress.length).toBeGreaterThan(3);
      expectSame(await readFile(join(home, '数 据', 'up')), bytes);
      await session.download('~/数 据/up', join(here, 'down'));
      expectSame(await readFile(join(here, 'down')), bytes);
    },
  );

  it('fault 20: cancels and resumes by commands, too', async () => {
    const { session, home } = await sessionOn({ sftp: 'off' });
    const bytes = content(30_000_000);
    const stopping = new AbortController();
    await expect(
      session.upload({ bytes }, '~/up', {
        signal: stopping.signal,
        onProgress: ({ done }) => done > 12_000_000 && stopping.abort(),
      }),
    ).rejects.toMatchObject({ code: 'cancelled' });
    const { sent } = await session.upload({ bytes }, '~/up');
    expect(sent).toBeLessThan(30_000_000);
    expectSame(await readFile(join(home, 'up')), bytes);
  });

  it('uses the system’s real sftp-server if there is one', async () => {
    const { session, home } = await sessionOn({ sftp: 'external' });
    const bytes = content(1_000_000);
    await session.upload({ bytes }, '~/up');
    expectSame(await readFile(join(home, 'up')), bytes);
  });
});

describe('a full disk', () => {
  const canMount = (): boolean => {
    const probe = execFileSync('mktemp', ['-d']).toString().trim();
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', probe], { stdio: 'ignore' });
      execFileSync('umount', [probe]);
      return true;
    } catch {
      return false;
    } finally {
      execFileSync('rmdir', [probe]);
    }
  };
  const mount = async (size: string): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'ringlab-small-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
    undo.push(async () => {
      execFileSync('umount', [folder]);
      await rm(folder, { recursive: true });
    });
    return folder;
  };

  it.skipIf(!canMount())(
    'on the node is reported before anything is sent, with the bytes needed and free',
    async () => {
      const folder = await mount('1m');
      const sshd = await startSshd();
      undo.push(() => sshd.stop());
      const test = await testPool();
      undo.push(() => test.close());
      const session = await test.pool.session(targetOf(sshd));
      await expect(session.upload({ bytes: content(2_000_000) }, `${folder}/big`)).rejects.toMatchObject({
        code: 'node_disk_full',
        params: { path: folder, needed: 2_000_000, free: 1_048_576 },
        where: 'node 1',
      });
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it.skipIf(!canMount())(
    'on the node during the transfer is reported, too, by SFTP and by commands',
    async () => {
      for (const sftp of ['internal', 'off'] as const) {
        const folder = await mount('8m');
        const sshd = await startSshd({ sftp });
        undo.push(() => sshd.stop());
        const test = await testPool();
        undo.push(() => test.close());
        const session = await test.pool.session(targetOf(sshd));
        let filled = false;
        const fill = ({ done }: { done: number }): void => {
          if (filled || done < 1_000_000) return;
          filled = true;
          try {
            execFileSync('dd', ['if=/dev/zero', `of=${folder}/others`, 'bs=64k'], { stdio: 'ignore' });
          } catch {
            // Expected to fail with 'no space left'.
          }
        };
        await expect(
          session.upload({ bytes: content(7_000_000) }, `${folder}/big`, { onProgress: fill }),
        ).rejects.toMatchObject({ code: 'node_disk_full', params: { path: folder } });
      }
    },
  );

  it.skipIf(!canMount())('on this computer is reported as such', async () => {
    const folder = await mount('1m');
    const sshd = await startSshd();
    undo.push(() => sshd.stop());
    const test = await testPool();
    undo.push(() => test.close());
    const session = await test.pool.session(targetOf(sshd));
    await writeFile(join(sshd.home, 'big'), content(2_000_000));
    const to = join(folder, 'big');
    await expect(session.download('~/big', to)).rejects.toMatchObject({
      code: 'local_disk_small',
      params: { path: to, needed: expect.any(Number) as number, free: expect.any(Number) as number },
    });
  });
});
