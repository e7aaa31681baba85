/** Finding 9: servers that announce little and send much, never end, or redirect elsewhere. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBucket, downloadFile, type DownloadOptions } from '../transfer/index.ts';

let folder = '';
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-downloads-'));
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server?.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
const to = (): string => join(folder, 'file');
const fetched = (url: string, options: Partial<DownloadOptions> = {}): Promise<void> =>
  downloadFile(url, to(), { max: 1_000_000, allows: () => true, ...options }, new AbortController().signal);
const mib = 1024 ** 2;

describe('finding 9: a download', () => {
  it('finding 9: from an endless sender is stopped and removed', async () => {
    let closed = false;
    const url = await serve((_request, answer) => {
      const block = Buffer.alloc(64 * 1024);
      const more = (): void => {
        while (!closed && answer.write(block));
      };
      answer.on('drain', more).on('close', () => (closed = true));
      more();
    });
    await expect(fetched(url)).rejects.toMatchObject({ code: 'download_too_large' });
    expect(existsSync(to())).toBe(false);
    await expect.poll(() => closed).toBe(true);
  });

  it('finding 9: is not started if its announced size exceeds the maximum', async () => {
    const url = await serve((_request, answer) => {
      answer.writeHead(200, { 'content-length': 10 ** 15 }).write('x');
    });
    await expect(fetched(url)).rejects.toMatchObject({ code: 'download_too_large', params: { size: 1e15 } });
    expect(existsSync(to())).toBe(false);
  });

  it('finding 9: is stopped if the disk fills up during the transfer, whatever the cause', async () => {
    const url = await serve((_request, answer) => void answer.end(Buffer.alloc(80 * mib)));
    let asked = 0;
    const freeBytes = (): Promise<number> => Promise.resolve((asked += 1) > 1 ? 1000 : 10 ** 12);
    await expect(fetched(url, { max: 100 * mib, freeBytes })).rejects.toMatchObject({
      code: 'local_disk_small',
      params: { free: 1000 },
    });
    expect(existsSync(to())).toBe(false);
  });

  it('finding 9: is not started without enough space; both sizes are reported', async () => {
    const url = await serve((_request, answer) => void answer.end('content'));
    const freeBytes = (): Promise<number> => Promise.resolve(300 * mib);
    const max = 100 * mib;
    await expect(fetched(url, { max, exact: true, freeBytes })).rejects.toMatchObject({
      code: 'local_disk_small',
      params: { needed: 356 * mib, free: 300 * mib },
    });
  });

  it('finding 9: resumes only within the maximum size', async () => {
    const url = await serve((request, answer) => {
      answer.writeHead(request.headers.range === undefined ? 200 : 206);
      answer.end(Buffer.alloc(600));
    });
    await fetched(url, { max: 600 });
    expect(readFileSync(to())).toHaveLength(600);
    await expect(fetched(url, { max: 1000, have: 600 })).rejects.toMatchObject({
      code: 'download_too_large',
    });
  });

  it('finding 9: refuses an endless list of a bucket, in one answer or in pages without objects', async () => {
    let pages = 0;
    let closed = false;
    const page = (next: number): string =>
      `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken></ListBucketResult>`;
    const endpoint = await serve((request, answer) => {
      if (request.url?.includes('endless') === true) {
        const more = (): void => {
          while (!closed && answer.write(Buffer.alloc(64 * 1024, 32)));
        };
        answer.on('drain', more).on('close', () => (closed = true));
        more();
      } else answer.end(page((pages += 1)));
    });
    const place = { endpoint: endpoint.slice(0, -1), region: '', bucket: 'pets', accessKeyId: '' };
    const refusal = { code: 'bucket_refused' };
    await expect(createBucket(place, '').list('endless', undefined)).rejects.toMatchObject(refusal);
    await expect.poll(() => closed).toBe(true);
    await expect(createBucket(place, '', 50).list('', undefined)).rejects.toMatchObject(refusal);
    expect(pages).toBe(51);
  });

  it('finding 3: refuses addresses of and redirects to this computer, its network and its files', async () => {
    let reached = 0;
    const url = await serve((request, answer) => {
      reached += 1;
      if (request.url === '/secret') answer.end('secret');
      else answer.writeHead(302, { location: '/secret' }).end();
    });
    const refuse = (address: string): Promise<void> =>
      downloadFile(address, to(), { max: 100 }, new AbortController().signal);
    for (const address of [
      url,
      url.replace('127.0.0.1', 'localhost'),
      url.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
      url.replace('127.0.0.1', '2130706433'),
      'http://169.254.169.254/latest/meta-data/',
      'file:///etc/hostname',
      'data:text/plain,x',
    ])
      await expect(refuse(address), address).rejects.toMatchObject({ code: 'download_failed' });
    expect(reached).toBe(0);
    // The first hop is allowed, the second is not: by its address, its kind, or its name.
    for (const location of ['http://127.0.0.2:1/', 'file:///etc/hostname', 'http://localhost:1/']) {
      server?.removeAllListeners('request');
      server?.on('request', (_request, answer: ServerResponse) => {
        answer.writeHead(302, { location }).end();
      });
      const allows = (address: string, _host: string, port: number): boolean =>
        address === '127.0.0.1' && port !== 1;
      await expect(fetched(url, { allows }), location).rejects.toMatchObject({ code: 'download_failed' });
    }
    expect(existsSync(to())).toBe(false);
  });
});
