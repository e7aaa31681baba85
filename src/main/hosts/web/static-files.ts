/** Serves files of the built renderer, and nothing outside its folder. */
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { say } from '../../i18n/index.ts';
import type { Language } from '../../../shared/base/language.ts';

export const contentTypes: Readonly<Record<string, string>> = {
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

export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The file for a URL path, or undefined. Does not follow links out of the folder. */
export async function resolveFile(root: string, urlPath: string): Promise<string | undefined> {
  let path: string;
  try {
    path = decodeURIComponent(urlPath);
  } catch {
    return undefined;
  }
  if (path.includes('\0')) return undefined;
  try {
    const folder = await realpath(root);
    const file = await realpath(join(folder, path === '/' ? 'index.html' : path));
    if (!file.startsWith(folder + sep)) return undefined;
    return (await stat(file)).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}

export async function serveStatic(
  root: string,
  urlPath: string,
  response: ServerResponse,
  language: Language,
): Promise<void> {
  const file = await resolveFile(root, urlPath);
  if (file === undefined) {
    response.writeHead(404, { ...securityHeaders, 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(`${say(language, 'web.nothing')}\n`);
    return;
  }
  // Vite's asset names contain hashes, so assets never change; the page itself must be revalidated.
  const caching = urlPath.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-store';
  response.writeHead(200, {
    ...securityHeaders,
    'Content-Type': contentTypes[extname(file)] ?? 'application/octet-stream',
    'Cache-Control': caching,
  });
  createReadStream(file)
    .on('error', () => response.destroy())
    .pipe(response);
}
