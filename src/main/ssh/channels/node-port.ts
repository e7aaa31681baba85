/** A port of the node's own loopback whose connections come here over the SSH connection. */
import type { AcceptConnection, ClientChannel, RejectConnection, TcpConnectionDetails } from 'ssh2';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { NodePort } from '../contract.ts';
import type { Shell } from './shell.ts';

const loopback = '127.0.0.1';

/**
 * @param onConnection is given each connection that a program of the node makes
 * @throws forwarding_refused where the node's server allows none, connection_lost
 */
export async function openNodePort(
  { client, host }: Shell,
  onConnection: (stream: ClientChannel) => void,
): Promise<NodePort> {
  const port = await new Promise<number>((resolve, reject) => {
    try {
      client.forwardIn(loopback, 0, (error, chosen) => {
        if (error === undefined) resolve(chosen);
        else
          reject(new RinglabError('forwarding_refused', { host }, { detail: error.message, cause: error }));
      });
    } catch (error) {
      // ssh2 throws where the connection is gone already.
      reject(new RinglabError('connection_lost', { host }, { cause: error }));
    }
  });
  const onTcp = (
    { destPort }: TcpConnectionDetails,
    accept: AcceptConnection<ClientChannel>,
    reject: RejectConnection,
  ): void => {
    // Several ports of one connection: each takes its own.
    if (destPort === port) onConnection(accept());
    else if (client.listenerCount('tcp connection') === 1) reject();
  };
  client.on('tcp connection', onTcp);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        client.off('tcp connection', onTcp);
        try {
          client.unforwardIn(loopback, port, () => resolve());
          client.once('close', () => resolve());
        } catch {
          // With the connection the port is gone too.
          resolve();
        }
      }),
  };
}
