/** For tests: a jump host on which connections to all addresses but one wait for an answer that never comes. */
import { once } from 'node:events';
import { connect } from 'node:net';
import ssh2, { type Connection } from 'ssh2';
import type { SshHop } from '../contract.ts';
import { keyPair } from './sshd.ts';

interface SilentGate {
  readonly hop: SshHop;
  /** Number of connections that wait. */
  waiting(): number;
  stop(): Promise<void>;
}

/**
 * @param livingPort of the loopback: the only one that answers
 * @param port as which it is reached through this jump host
 */
export async function startSilentGate(livingPort: number, port = livingPort): Promise<SilentGate> {
  const keys = keyPair();
  const open = new Set<Connection>();
  let waiting = 0;
  const server = new ssh2.Server({ hostKeys: [keys.private] }, (connection) => {
    open.add(connection);
    connection.on('error', () => undefined);
    connection.on('close', () => open.delete(connection));
    connection.on('authentication', (context) => context.accept());
    connection.on('tcpip', (accept, _reject, { destPort }) => {
      if (destPort !== port) {
        waiting += 1;
        return;
      }
      const far = connect(livingPort, '127.0.0.1');
      const near = accept();
      near.pipe(far).pipe(near);
      near.on('error', () => undefined);
      far.on('error', () => undefined);
      near.on('close', () => far.destroy());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    hop: {
      host: '127.0.0.1',
      port: typeof address === 'object' && address !== null ? address.port : 0,
      user: 'anyone',
      authentication: { method: 'app-key', privateKey: keys.private },
      pinnedHostKey: keys.public.split(' ')[1] ?? '',
    },
    waiting: () => waiting,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const connection of open) connection.end();
      await closed;
    },
  };
}
