/** Opens a port on the node's loopback whose connections are forwarded to the app over SSH. */
import type { AcceptConnection, ClientChannel, RejectConnection, TcpConnectionDetails } from 'ssh2';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { NodePort } from '../contract.ts';
import type { Shell } from './shell.ts';

const loopback = '127.0.0.1';

/**
 * @param onConnection called with each connection to the port
 * @throws forwarding_refused where the node's server does not allow it, connection_lost
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
      // ssh2 throws where the connection is already closed.
      reject(new RinglabError('connection_lost', { host }, { cause: error }));
    }
  });
  const onTcp = (
    { destPort }: TcpConnectionDetails,
    accept: AcceptConnection<ClientChannel>,
    reject: RejectConnection,
  ): void => {
    // Several ports of one connection: each handles its own.
    if (destPort === port) onConnection(accept());
    else if (client.listenerCount('tcp connection') === 1) reject();
  };
  client.on('tcp connection', onTcp);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        client.off('tcp connection', onTcp);
        const closed = (): void => {
          client.off('close', closed);
          resolve();
        };
        try {
          client.unforwardIn(loopback, port, closed);
          client.once('close', closed);
        } catch {
          // The port is closed with the connection.
          closed();
        }
      }),
  };
}
