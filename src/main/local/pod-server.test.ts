/** Sessions through the server of a pod. The pod is a stand-in: a shell of this computer with a home of its own. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PodProcess } from '../kubernetes/index.ts';
import type { SshSession } from '../ssh/index.ts';
import { testPool, type TestPool } from '../ssh/testing/pool.ts';
import type { AppServer } from './app-server.ts';
import { keepKey } from './keys.ts';
import { startPodServer } from './pod-server.ts';

let test: TestPool;
let folder: string;
let server: AppServer;
/** Cuts the connections to the pod: no exit code arrives. */
let cuts: (() => void)[];
let refuses: Error | undefined;

function runHere(command: readonly string[]): PodProcess {
  const [program = '', ...rest] = command;
  const child = spawn(program, rest, { detached: true, env: { HOME: folder, PATH: process.env.PATH } });
  const ended = new Promise<number | undefined>((resolve) => {
    child.once('close', (code) => resolve(code ?? 137));
    cuts.push(() => resolve(undefined));
  });
  child.stdin.on('error', () => undefined);
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    ended,
    resize: () => undefined,
    close: () => child.stdin.end(),
  };
}

beforeEach(async () => {
  cuts = [];
  refuses = undefined;
  test = await testPool();
  folder = await mkdtemp(join(tmpdir(), 'ringlab-pod-home-'));
  const key = await keepKey(join(test.dataFolder, 'app_key'));
  server = await startPodServer({
    folder: join(test.dataFolder, 'pod'),
    allowed: key.public,
    open: (command) => (refuses === undefined ? Promise.resolve(runHere(command)) : Promise.reject(refuses)),
  });
});
afterEach(async () => {
  await test.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const session = async (): Promise<SshSession> => {
  const key = await keepKey(join(test.dataFolder, 'app_key'));
  return await test.pool.session({
    labId: 'lab',
    nodeId: 'a',
    nodeName: 'team',
    host: server.host,
    port: server.port,
    user: server.user,
    authentication: { method: 'app-key', privateKey: key.private },
    pinnedHostKey: server.hostKey,
  });
};

describe('a session to a pod', () => {
  it('runs commands, with exit codes, input and both outputs', async () => {
    const pod = await session();
    expect(await pod.home()).toBe(folder);
    expect(await pod.exec('cat; echo err >&2; exit 3', { stdin: 'in' })).toMatchObject({
      code: 3,
      stdout: 'in',
      stderr: 'err\n',
    });
    expect(await pod.exec('echo brief', { brief: true })).toMatchObject({ code: 0, stdout: 'brief\n' });
  });

  it('sends and fetches files without SFTP', async () => {
    const pod = await session();
    const bytes = Buffer.alloc(3_000_000, 'abc');
    expect(await pod.upload({ bytes }, '~/sent')).toEqual({ sent: bytes.length });
    expect((await readFile(join(folder, 'sent'))).equals(bytes)).toBe(true);
    await writeFile(join(folder, 'made'), bytes);
    await pod.download('~/made', join(test.dataFolder, 'fetched'));
    expect((await readFile(join(test.dataFolder, 'fetched'))).equals(bytes)).toBe(true);
  });

  it('is lost, and can be made again, where a command’s connection is cut', async () => {
    const pod = await session();
    const running = pod.exec('sleep 30');
    await expect.poll(() => cuts.length).toBeGreaterThan(0);
    for (const cut of cuts) cut();
    await expect(running).rejects.toMatchObject({ code: 'connection_lost' });
    const again = await session();
    expect(again).not.toBe(pod);
    expect(await again.run('echo back')).toBe('back\n');
  });

  it('is lost where the cluster refuses a command', async () => {
    const pod = await session();
    refuses = new Error('the pod is gone');
    await expect(pod.run('true')).rejects.toMatchObject({ code: 'connection_lost' });
  });
});
