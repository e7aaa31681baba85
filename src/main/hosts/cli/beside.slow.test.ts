/** Tests commands beside an abnormal app: killed, hung, on another machine, or absent although its files exist. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ControlFile } from '../../control/greeting.ts';
import { withSession, type SessionOptions } from './session.ts';
import {
  createCommandBench,
  lastLine,
  patience,
  untilSaid,
  type Command,
  type CommandBench,
} from './testing/processes.ts';

let bench: CommandBench;
const servers: Server[] = [];
/** Too long for a socket's path, which has 108 bytes. */
const longName = 'a data folder with a long path, 数据 '.repeat(4).trim();
beforeEach(async () => {
  bench = await createCommandBench(longName);
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await bench.close();
});

const options = (): SessionOptions => ({
  data: bench.data,
  acceptNewHostKeys: false,
  allowChanges: false,
  allowLending: false,
});
const publishedPath = (): string => join(bench.data, 'control.json');
const published = (): ControlFile => ControlFile.parse(JSON.parse(readFileSync(publishedPath(), 'utf8')));
async function window(): Promise<Command> {
  const served = bench.ringlab('serve', '--no-open');
  await expect.poll(served.stdout, patience).toContain('http://127.0.0.1');
  return served;
}
const folderSeen = (): Promise<{ owner: number | undefined; folder: string }> =>
  withSession(options(), async ({ api, owner }) => ({
    owner: owner?.pid,
    folder: (await api.call('app.info', {})).dataFolder,
  }));

describe('a command beside a window', () => {
  it('whose data folder path is too long for a socket asks the window; if that is killed, continues alone and cleans up', async () => {
    const served = await window();
    expect(Buffer.byteLength(bench.data)).toBeGreaterThan(108);
    const { address } = published();
    expect(address.startsWith(bench.data)).toBe(false);
    expect(await folderSeen()).toEqual({ owner: served.child.pid, folder: bench.data });
    served.child.kill('SIGKILL');
    await served.ended;
    // The stale socket: it exists, but nobody listens.
    expect(existsSync(address)).toBe(true);
    expect(await folderSeen()).toEqual({ owner: undefined, folder: bench.data });
    expect(existsSync(dirname(address))).toBe(false);
    expect(existsSync(publishedPath())).toBe(false);
  }, 180_000);
});

describe('a window beside a command', () => {
  it('that follows a run takes over, and the command goes on after the window, too', async () => {
    const lab = await bench.labFile('long', ['a', 'b'], { epochs: 5000, onLostRank: 'stop' });
    const run = bench.ringlab('run', lab);
    await bench.trains(2);
    await untilSaid(run, /epoch 1\b/);
    const served = await window();
    expect(run.stderr()).toContain('A window opens');
    expect(await folderSeen()).toEqual({ owner: served.child.pid, folder: bench.data });
    const [before = ''] = await bench.liveRanks();
    const { labs, runs } = await withSession(options(), async ({ api }) => ({
      labs: await api.call('lab.ofRuns', {}),
      runs: await api.call('run.list', {}),
    }));
    expect(labs).toMatchObject([{ labId: 'long', name: 'Lab long', runId: before, runs: 1 }]);
    expect(runs).toMatchObject([{ id: before, state: 'running', attempt: 1 }]);

    served.child.kill('SIGTERM');
    await served.ended;
    await untilSaid(run, 'has ended; going on without it');
    run.child.kill('SIGINT');
    await run.ended;
    expect(lastLine(run)).toMatchObject({ run: before, state: 'stopped' });
  }, 400_000);
});

describe('a command without an open window', () => {
  it('opens the folder in spite of an invalid control file, as from a copy or a backup', async () => {
    const stale = join(bench.folder, 'stale');
    mkdirSync(stale, { mode: 0o700 });
    writeFileSync(join(stale, 'socket'), 'restored as a file');
    chmodSync(join(stale, 'socket'), 0o600);
    mkdirSync(bench.data, { mode: 0o700 });
    const file = { protocol: 1, version: '1', pid: 1, kind: 'web', secret: 'x'.repeat(43) };
    for (const [text, mode] of [
      ['{"protocol":', 0o600],
      ['', 0o600],
      [JSON.stringify({ ...file, address: join(stale, 'socket') }), 0o600],
      [JSON.stringify({ ...file, address: '/tmp/x' }), 0o644],
    ] as const) {
      writeFileSync(publishedPath(), text);
      chmodSync(publishedPath(), mode);
      expect(await folderSeen(), text).toEqual({ owner: undefined, folder: bench.data });
    }
  });

  it('ignores a foreign program that listens where the last app did', async () => {
    mkdirSync(bench.data, { mode: 0o700 });
    const place = join(bench.folder, 'place');
    mkdirSync(place, { mode: 0o700 });
    const address = join(place, 'socket');
    // Never answers; and one that answers nonsense.
    for (const answer of [undefined, 'SSH-2.0-OpenSSH_9.2\r\n']) {
      const server = createServer((socket) => {
        socket.on('error', () => undefined).resume();
        if (answer !== undefined) socket.end(answer);
        else setTimeout(() => socket.destroy(), 500);
      });
      servers.push(server);
      await new Promise<void>((listening) => server.listen(address, listening));
      chmodSync(address, 0o600);
      const file = { protocol: 1, version: '1', pid: 1, kind: 'web', secret: 'x'.repeat(43), address };
      writeFileSync(publishedPath(), JSON.stringify(file), { mode: 0o600 });
      expect(await folderSeen()).toEqual({ owner: undefined, folder: bench.data });
      await new Promise((closed) => server.close(closed));
    }
  });

  it('with five others at the same moment: one of them opens the app, and all are answered', async () => {
    const { promise: allIn, resolve } = Promise.withResolvers<undefined>();
    let inside = 0;
    const owners = await Promise.all(
      Array.from({ length: 6 }, () =>
        withSession(options(), async ({ api, owner }) => {
          const { dataFolder } = await api.call('app.info', {});
          expect(dataFolder).toBe(bench.data);
          inside += 1;
          if (inside === 6) resolve(undefined);
          // All connections stay open until all were answered, or clients of the first would reconnect.
          await allIn;
          return owner?.pid;
        }),
      ),
    );
    expect(owners.filter((pid) => pid === undefined)).toHaveLength(1);
    expect(owners.filter((pid) => pid === process.pid)).toHaveLength(5);
  }, 180_000);
});

it('ignores a closed output pipe and keeps its exit code', async () => {
  const list = bench.ringlab('labs');
  list.child.stdout?.destroy();
  expect([await list.ended, list.stderr()]).toEqual([0, '']);
  const unknown = bench.ringlab('follow', 'nobody');
  unknown.child.stderr?.destroy();
  expect(await unknown.ended).toBe(2);
}, 180_000);
