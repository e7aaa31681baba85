import { EventEmitter } from 'node:events';
import type { Client } from 'ssh2';
import { expect, test } from 'vitest';
import { startProcess } from './remote-process.ts';

/** A client of ssh2 whose server answers a command with no: at once, or because the connection is gone. */
function refusing(goes: boolean): Client {
  const client = new EventEmitter();
  const exec = (_: string, onChannel: (error: Error) => void): void => {
    onChannel(new Error('Unable to exec'));
    if (goes) setImmediate(() => client.emit('close'));
  };
  return Object.assign(client, { exec }) as unknown as Client; // exec and its events are all that is asked for
}

test('fault 17: a connection that goes while a command is asked for was lost; it was no refusal', async () => {
  const lost = startProcess({ client: refusing(true), host: 'n1' }, 'true');
  await expect(lost).rejects.toMatchObject({ code: 'connection_lost', params: { host: 'n1' } });
});

test('a server that runs no commands is named so', async () => {
  const refused = startProcess({ client: refusing(false), host: 'n1' }, 'true');
  await expect(refused).rejects.toMatchObject({ code: 'command_failed', detail: 'Unable to exec' });
});
