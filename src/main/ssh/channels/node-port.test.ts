import ssh2 from 'ssh2';
import { expect, it } from 'vitest';
import { createChannelGate } from './channel-gate.ts';
import { openNodePort } from './node-port.ts';

it('a port that is closed leaves nothing on its connection, whether or not the node answers', async () => {
  let answers = true;
  let next = 4000;
  const client = Object.assign(new ssh2.Client(), {
    forwardIn(_address: string, _port: number, done: (error: undefined, port: number) => void) {
      next += 1;
      done(undefined, next);
    },
    unforwardIn(_address: string, _port: number, done: () => void) {
      if (answers) setImmediate(done);
    },
  });
  const shell = { client, host: 'h', user: 'u', gate: createChannelGate('h') };
  const before = client.listenerCount('close');
  for (let lent = 0; lent < 12; lent += 1)
    await (await openNodePort(shell, (stream) => stream.end())).close();
  expect(client.listenerCount('close')).toBe(before);
  expect(client.listenerCount('tcp connection')).toBe(0);

  answers = false;
  const closing = (await openNodePort(shell, (stream) => stream.end())).close();
  client.emit('close');
  await closing;
});
