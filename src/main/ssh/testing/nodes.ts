/** Both kinds of server that the layer must do with, behind one face: Debian's sshd and the app's own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepKey } from '../../local/keys.ts';
import { startNodeServer } from '../../local/node-server.ts';
import type { SshTarget } from '../contract.ts';
import { targetOf } from './pool.ts';
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
