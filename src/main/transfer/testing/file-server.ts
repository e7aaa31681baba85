/**
 * For tests: serves a folder over HTTP on the loopback, like a mirror: whole files and ranges; it can be made to
 * fail.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface FileServer {
  readonly url: string;
  readonly port: number;
  /** Requested files and ranges, in order; without samples that start at the first byte, and questions for a size. */
  readonly asked: { readonly path: string; readonly from: number }[];
  /** Bytes of bodies sent. */
  sent: number;
  /** Changes the answer for a path; `undefined` for 404. */
  spoil: (path: string, bytes: Buffer) => Buffer | undefined;
  /** Closes the connection after so many bytes of an answer's body. */
  breakAfter: number | undefined;
  /** Whether ranges are sent; otherwise the whole file, whatever is asked for. */
  ranges: boolean;
  /** Delay before each answer. */
  waitMs: number;
  close(): Promise<void>;
}

export async function startFileServer(folder: string): Promise<FileServer> {
  const state = {
    asked: [] as { path: string; from: number }[],
    sent: 0,
    spoil: (_: string, bytes: Buffer): Buffer | undefined => bytes,
    breakAfter: undefined as number | undefined,
    ranges: true,
    waitMs: 0,
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = decodeURIComponent((request.url ?? '/').slice(1));
    const range = /^bytes=(\d+)-(\d*)$/.exec((state.ranges && request.headers.range) || '');
    const from = Number(range?.[1] ?? 0);
    if (request.method !== 'HEAD' && (range === null || range[2] === '')) state.asked.push({ path, from });
    let bytes: Buffer | undefined;
    try {
      bytes = state.spoil(path, readFileSync(join(folder, path)));
    } catch {
      bytes = undefined;
    }
    if (bytes === undefined) {
      response.writeHead(404).end();
      return;
    }
    if (range !== null && from >= bytes.length) {
      response.writeHead(416).end();
      return;
    }
    const to = Math.min(
      bytes.length,
      range?.[2] === undefined || range[2] === '' ? bytes.length : Number(range[2]) + 1,
    );
    const body = bytes.subarray(from, to);
    response.writeHead(range === null ? 200 : 206, {
      'content-length': body.length,
      'accept-ranges': state.ranges ? 'bytes' : 'none',
      ...(range === null ? {} : { 'content-range': `bytes ${from}-${to - 1}/${bytes.length}` }),
    });
    if (request.method !== 'HEAD' && state.breakAfter !== undefined && body.length > state.breakAfter) {
      state.sent += state.breakAfter;
      response.write(body.subarray(0, state.breakAfter), () => response.destroy());
      return;
    }
    if (request.method !== 'HEAD') state.sent += body.length;
    response.end(body);
  };
  const server = createServer((request, response) => {
    setTimeout(() => answer(request, response), state.waitMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on TCP, it has an address with a port.
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    port,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}
