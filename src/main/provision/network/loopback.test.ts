import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { connectHere, listenHere } from './loopback.ts';
import { freePort } from '../../ssh/testing/free-port.ts';

test('a listener is reached and measured, and its port is free afterwards', async () => {
  const port = await freePort();
  const listener = await listenHere(port);
  const measured = await connectHere(port);
  expect(measured?.rtt_ms).toBeGreaterThan(0);
  expect(measured?.send_bits_per_second).toBeGreaterThan(1e6);
  await listener?.stop();
  expect(await connectHere(port)).toBeUndefined();
  const again = await listenHere(port);
  expect(again).toBeDefined();
  await again?.stop();
});

test('a port in use is not listened on', async () => {
  const port = await freePort();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  expect(await listenHere(port)).toBeUndefined();
  other.close();
});
