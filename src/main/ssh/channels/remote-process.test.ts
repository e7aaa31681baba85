import { EventEmitter } from 'node:events';
import type { Client } from 'ssh2';
import { expect, test } from 'vitest';
import { createChannelGate } from './channel-gate.ts';
import { startProcess } from './remote-process.ts';

/** An ssh2 client whose server starts no command: permanently, or because the connection is closing. */
function refusing(goes: boolean): Client {
  const client = new EventEmitter();
  let isGone = false;
  const exec = (_: string, onChannel: (error: Error) => void): void => {
    if (isGone) throw new Error('Not connected');
    isGone = goes;
    onChannel(new Error('Unable to exec'));
  };
  return Object.assign(client, { exec }) as unknown as Client; // only exec and its events are used
}

const started = (client: Client): Promise<unknown> => {
  let now = 0;
  const sleep = (milliseconds: number): Promise<void> => {
    now += milliseconds;
    return Promise.resolve();
  };
  const gate = createChannelGate('n1', { ticks: () => now, sleep, random: () => 0.5 });
  return gate.open(() => startProcess({ client, host: 'n1' }, 'true'));
};

test('fault 17: a connection lost during a command’s request is reported as lost, not as a refusal', async () => {
  await expect(started(refusing(true))).rejects.toMatchObject({
    code: 'connection_lost',
    params: { host: 'n1' },
  });
});

test('a server that runs no commands is reported as such', async () => {
  await expect(started(refusing(false))).rejects.toMatchObject({
    code: 'command_failed',
    detail: 'Unable to exec',
  });
});
