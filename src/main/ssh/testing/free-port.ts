import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below every range from which systems give ports to outgoing connections (Linux: 32768 on, others: 49152 on). */
const range = { first: 12_000, last: 31_000 };

const canListen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '0.0.0.0', () => server.close(() => resolve(true)));
  });

/**
 * A port that nothing listened on a moment ago. The system's own choice (`listen(0)`) will not do: between the
 * question and the use, one of the many connections of tests that run beside this one may get it as its source port.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(range.first, range.last + 1);
    if (await canListen(port)) return port;
  }
  throw new Error(`no free port from ${range.first} to ${range.last}`);
}
