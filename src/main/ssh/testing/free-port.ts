/** For tests: TCP ports that nothing uses. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ranges of ephemeral ports (Linux: from 32768, others: from 49152). */
const range = { first: 12_000, last: 31_000 };

const canListen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '0.0.0.0', () => server.close(() => resolve(true)));
  });

/**
 * A free port. `listen(0)` is not used: between the check and the use, a concurrent test's outgoing connection may
 * get it as its source port.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(range.first, range.last + 1);
    if (await canListen(port)) return port;
  }
  throw new Error(`no free port from ${range.first} to ${range.last}`);
}
