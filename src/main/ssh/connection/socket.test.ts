import dns from 'node:dns';
import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openSocket } from './socket.ts';

/**
 * Accepts nothing for a while, and its queue is full: Linux drops the packets of a handshake, so that it takes a second, as over a link
 * of long round trips.
 */
const slowListener = `
import socket, time
server = socket.socket()
server.bind(('127.0.0.1', 0))
server.listen(0)
first = socket.create_connection(server.getsockname())
print(server.getsockname()[1], flush=True)
time.sleep(0.6)
while True: server.accept()`;

const undo: (() => void)[] = [];
afterEach(() => {
  for (const one of undo.splice(0)) one();
});

describe.skipIf(process.platform !== 'linux')('a name with an IPv4 and an IPv6 address', () => {
  it('is connected to at the first, however long a round trip takes, where this computer has no IPv6', async () => {
    const server = spawn('python3', ['-c', slowListener], { stdio: ['ignore', 'pipe', 'inherit'] });
    undo.push(() => server.kill());
    const port = await new Promise<number>((resolve) =>
      server.stdout.once('data', (data) => resolve(Number(data))),
    );
    const addresses = [
      { address: '127.0.0.1', family: 4 },
      // Of no machine (RFC 6666).
      { address: '100::1', family: 6 },
    ];
    vi.spyOn(dns, 'lookup').mockImplementation(((_name: string, _options: object, done: unknown) => {
      // As Node itself asks: for all addresses.
      (done as (error: null, found: typeof addresses) => void)(null, addresses);
    }) as typeof dns.lookup);
    undo.push(() => vi.restoreAllMocks());
    const socket = await openSocket('node.example', port, 30_000, undefined);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });
});
