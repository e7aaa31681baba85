import { readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { createChannelGate } from '../channels/channel-gate.ts';
import { startProcess } from '../channels/remote-process.ts';
import { startDropbear, withoutDropbear } from '../testing/dropbear.ts';
import { keyPair } from '../testing/sshd.ts';
import { testPool } from '../testing/pool.ts';

const missing = withoutDropbear();

describe.skipIf(missing !== undefined)(
  `dropbear${missing === undefined ? '' : ` (left out: ${missing})`}`,
  () => {
    it('runs commands, transfers files without SFTP, and forwards ports', async () => {
      const dropbear = await startDropbear();
      const test = await testPool();
      const { user, port, keyFile } = dropbear;
      const session = await test.pool.session({
        ...{ labId: 'lab', nodeId: 'n', nodeName: 'node', host: '127.0.0.1', port, user },
        authentication: { method: 'key', keyFile },
      });
      expect((await session.exec('echo "$((6*7))"')).stdout).toBe('42\n');
      const bytes = Buffer.alloc(300_000, 7);
      await session.upload({ bytes }, '~/a folder/file');
      const local = join(tmpdir(), `ringlab-dropbear-${process.pid}`);
      await session.download('~/a folder/file', local);
      expect((await readFile(local)).equals(bytes)).toBe(true);
      expect((await stat(local)).size).toBe(300_000);
      const lent = await session.listen((stream) => stream.end());
      expect(lent.port).toBeGreaterThan(0);
      await lent.close();
      await test.close();
      await dropbear.stop();
      await rm(local);
    });

    it('runs all of many commands at once', { timeout: 60_000 }, async () => {
      const dropbear = await startDropbear();
      const client = new ssh2.Client();
      const privateKey = await readFile(dropbear.keyFile);
      await new Promise((resolve, reject) => {
        client.on('ready', () => resolve(undefined)).on('error', reject);
        client.connect({ host: '127.0.0.1', port: dropbear.port, username: dropbear.user, privateKey });
      });
      const one = async (index: number, gate: ReturnType<typeof createChannelGate>): Promise<string> => {
        const started = await gate.open(() =>
          startProcess({ client, host: 'dropbear' }, `sleep 0.2; echo ${index}`),
        );
        started.stdin.end();
        started.stderr.resume();
        const chunks: Buffer[] = [];
        for await (const chunk of started.stdout) chunks.push(chunk as Buffer);
        return Buffer.concat(chunks).toString();
      };
      // More than one gate allows at once: dropbear sometimes refuses some of them.
      const gates = Array.from({ length: 15 }, () => createChannelGate('dropbear'));
      const all = gates.flatMap((gate, at) =>
        Array.from({ length: 8 }, (_, index) => one(at * 8 + index, gate)),
      );
      expect(await Promise.all(all)).toEqual(all.map((_, index) => `${index}\n`));
      client.end();
      await dropbear.stop();
    });
  },
);

describe('a server that cannot start commands', () => {
  const serverThatRefuses = async (
    times: number,
  ): Promise<{ port: number; asked: () => number; stop: () => void }> => {
    let asked = 0;
    const server = new ssh2.Server({ hostKeys: [keyPair().private] }, (connection) => {
      connection.on('error', () => undefined);
      connection.on('authentication', (context) => context.accept());
      connection.on('session', (accept) => {
        accept().on('exec', (take, refuse) => {
          asked += 1;
          if (asked <= times) {
            refuse();
            return;
          }
          const channel = take();
          channel.on('data', () => undefined);
          channel.exit(0);
          channel.end();
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return { port, asked: () => asked, stop: () => server.close() };
  };
  const clientOf = async (port: number): Promise<ssh2.Client> => {
    const client = new ssh2.Client();
    await new Promise((resolve, reject) => {
      client.on('ready', () => resolve(undefined)).on('error', reject);
      client.connect({ host: '127.0.0.1', port, username: 'a', password: 'b' });
    });
    return client;
  };

  it('is retried for at most a few seconds', async () => {
    for (const [times, starts] of [
      [3, true],
      [1000, false],
    ] as const) {
      const server = await serverThatRefuses(times);
      const client = await clientOf(server.port);
      let now = 0;
      const clock = {
        ticks: () => now,
        random: () => 0.5,
        sleep: (ms: number) => {
          now += ms;
          return Promise.resolve();
        },
      };
      const opened = createChannelGate('h', clock).open(() => startProcess({ client, host: 'h' }, 'true'));
      if (starts) await opened;
      else
        await expect(opened).rejects.toMatchObject({ code: 'command_failed', params: { command: 'exec' } });
      expect(server.asked()).toBeLessThan(16);
      expect(server.asked()).toBeGreaterThan(3);
      client.end();
      server.stop();
    }
  });
});
