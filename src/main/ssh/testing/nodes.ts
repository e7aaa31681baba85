/** For tests: both kinds of server behind one interface: Debian's sshd and the app's own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepKey } from '../../local/keys.ts';
import { startNodeServer } from '../../local/node-server.ts';
import type { SshSession, SshTarget } from '../contract.ts';
import { targetOf, testPool, type TestPool } from './pool.ts';
import { startSshd } from './sshd.ts';

export interface TestNode {
  readonly target: SshTarget;
  /** `$HOME` there, which is a folder of this machine. */
  readonly home: string;
  stop(): Promise<void>;
}

const startOpenSsh = async (): Promise<TestNode> => {
  const sshd = await startSshd();
  return {
    target: targetOf(sshd, { pinnedHostKey: sshd.hostKeyBase64 }),
    home: sshd.home,
    stop: () => sshd.stop(),
  };
};

export const startOwn = async (): Promise<TestNode> => {
  const folder = await mkdtemp(join(tmpdir(), 'ringlab-own-'));
  const key = await keepKey(join(folder, 'app_key'));
  const server = await startNodeServer(join(folder, 'node'), key.public);
  return {
    target: {
      labId: 'lab',
      nodeId: 'node',
      nodeName: 'node 1',
      host: server.host,
      port: server.port,
      user: server.user,
      authentication: { method: 'app-key', privateKey: key.private },
      pinnedHostKey: server.hostKey,
    },
    home: server.home,
    async stop() {
      await server.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

export const kindsOfServer: readonly (readonly [string, () => Promise<TestNode>])[] = [
  ['OpenSSH', startOpenSsh],
  ['our own server', startOwn],
];

/** A node of this kind, and a session on it. */
export interface ConnectedNode {
  readonly node: TestNode;
  readonly test: TestPool;
  readonly session: SshSession;
  close(): Promise<void>;
}

export async function connectedNode(start: () => Promise<TestNode>): Promise<ConnectedNode> {
  const node = await start();
  const test = await testPool();
  return {
    node,
    test,
    session: await test.pool.session(node.target),
    async close() {
      await test.close();
      await node.stop();
    },
  };
}
