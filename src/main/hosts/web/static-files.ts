/** Serves files of the built renderer, and nothing outside its folder. */
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { say } from '../../i18n/index.ts';
import type { Language } from '../../../shared/base/language.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.map': 'application/json',
};

/** React Flow and Mantine set style attributes, which CSP counts as inline styles; scripts stay strict. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Ending of the name of a file that is another one, compressed (vite.config.ts). */
const compressed = '.gz';

export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export interface StaticFile {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly type: string;
  /** The same, made when the window was built; undefined where that was not worth it. */
  readonly gzip: Buffer<ArrayBuffer> | undefined;
}

/** By URL path. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

/**
 * All files of the built renderer, without links. They are read once: a page that is open while the program is updated
 * loads the rest of its own version. Without the folder there is none.
 */
export async function readStaticFiles(folder: string): Promise<StaticFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const read = new Map(
    await Promise.all(
      entries
        .filter((entry) => entry.isFile())
        .map(async ({ parentPath, name }): Promise<[string, Buffer<ArrayBuffer>]> => {
          const path = join(parentPath, name);
          return [`/${relative(folder, path).split(sep).join('/')}`, await readFile(path)];
        }),
    ),
  );
  const files = [...read].filter(([path]) => !path.endsWith(compressed));
  return new Map(
    files.map(([path, bytes]) => {
      const type = contentTypes[extname(path)] ?? 'application/octet-stream';
      return [path, { bytes, type, gzip: read.get(`${path}${compressed}`) }];
    }),
  );
}

/** The file for the path of a URL, which may be encoded. */
export function staticFile(files: StaticFiles, urlPath: string): StaticFile | undefined {
  try {
    return files.get(urlPath === '/' ? '/index.html' : decodeURIComponent(urlPath));
  } catch {
    return undefined;
  }
}

export function serveStatic(
  files: StaticFiles,
  urlPath: string,
  request: Pick<IncomingMessage, 'headers'>,
  response: ServerResponse,
  language: Language,
): void {
  const file = staticFile(files, urlPath);
  if (file === undefined) {
    response.writeHead(404, { ...securityHeaders, 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(`${say(language, 'web.nothing')}\n`);
    return;
  }
  // Vite's asset names contain hashes, so assets never change; the page itself must be revalidated.
  const caching = urlPath.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-store';
  const { 'accept-encoding': accepted = '' } = request.headers;
  const gzip = /\bgzip\b/.test(accepted) ? file.gzip : undefined;
  const sent = gzip ?? file.bytes;
  response.writeHead(200, {
    ...securityHeaders,
    'Content-Type': file.type,
    'Content-Length': sent.length,
    'Cache-Control': caching,
    Vary: 'Accept-Encoding',
    ...(gzip === undefined ? {} : { 'Content-Encoding': 'gzip' }),
  });
  response.end(sent);
}
