/** Names with several addresses, of which the first does not answer, as behind a router whose IPv6 leads nowhere. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { downloadFile } from './download.ts';
import { createHttpProxy } from './http-proxy.ts';
import { AddressRefused, allowedAddresses } from './reachable.ts';

/** For documentation (RFC 3849): nobody has it. */
const nowhere = '2001:db8::80';
vi.mock('node:dns/promises', () => ({
  lookup: () =>
    Promise.resolve([
      { address: nowhere, family: 6 },
      { address: '127.0.0.1', family: 4 },
    ]),
}));

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;
const origin = createServer((_request, response) => response.end('whole'));
let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-reachable-'));
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
});
afterAll(() => {
  origin.close();
  rmSync(folder, { recursive: true, force: true });
});
const allows = (): boolean => true;

it('a download goes on to the next address', async () => {
  const to = join(folder, 'file');
  const { signal } = new AbortController();
  await downloadFile(`http://mirror.test:${portOf(origin)}/`, to, { max: 100, allows }, signal);
  expect(readFileSync(to, 'utf8')).toBe('whole');
});

it('a lent connection does, too', async () => {
  const proxy = createHttpProxy({ allows, onwards: () => undefined });
  const door = createTcpServer({ allowHalfOpen: true }, (socket) => proxy.serve(socket)).listen(
    0,
    '127.0.0.1',
  );
  await once(door, 'listening');
  const headers = { 'proxy-authorization': `Basic ${Buffer.from(proxy.login).toString('base64')}` };
  const target = `mirror.test:${portOf(origin)}`;
  const where = { host: '127.0.0.1', port: portOf(door), headers };
  const plain = request({ ...where, path: `http://${target}/` }).end();
  const [answer] = (await once(plain, 'response')) as [{ statusCode: number; resume(): void }];
  answer.resume();
  expect(answer.statusCode).toBe(200);
  const tunnel = request({ ...where, method: 'CONNECT', path: target }).end();
  const [connected, socket] = (await once(tunnel, 'connect')) as [{ statusCode: number }, Socket];
  expect(connected.statusCode).toBe(200);
  socket.destroy();
  proxy.close();
  door.close();
});

it('only to addresses that are allowed', async () => {
  expect(await allowedAddresses('mirror.test', 80, (address) => address === nowhere)).toEqual([nowhere]);
  await expect(allowedAddresses('mirror.test', 80, () => false)).rejects.toThrow(AddressRefused);
});
