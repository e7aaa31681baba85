/** Files for download by the browser, each at an unguessable address that works once. */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Delivery } from '../../../shared/contract/api.ts';
import { sessionPaths } from '../../../shared/contract/web-session.ts';
import { securityHeaders } from './static-files.ts';
import { say } from '../../i18n/index.ts';
import type { Language } from '../../../shared/base/language.ts';

const lifetimeMs = 10 * 60_000;
const maxOffered = 100;

export interface Downloads {
  offer(file: { path: string; name: string }): Promise<Delivery>;
  /** Answers a download's address; 404 where the id is unknown, used or expired. */
  serve(id: string, response: ServerResponse, language: Language): Promise<void>;
}

/**
 * A safe file name: no folder, no control characters, no bidirectional controls (`gnp.exe` shown as `exe.png`), no
 * lone surrogates.
 */
const safeName = (name: string): string => {
  const safe = name
    .toWellFormed()
    .replace(/[\\/\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, '_')
    .replace(/^\.+/, '_')
    .slice(0, 200)
    .toWellFormed();
  return safe.trim() === '' ? 'file' : safe;
};

/** RFC 8187: encodeURIComponent leaves some characters that are invalid in a header's value. */
const inHeader = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);

export function createDownloads(now: () => number = Date.now): Downloads {
  const offered = new Map<string, { path: string; name: string; until: number }>();
  return {
    async offer({ path, name }) {
      const { size } = await stat(path);
      const id = randomBytes(24).toString('base64url');
      for (const [old, { until }] of offered)
        if (until < now() || offered.size >= maxOffered) offered.delete(old);
      const safe = safeName(name);
      offered.set(id, { path, name: safe, until: now() + lifetimeMs });
      return { name: safe, bytes: size, url: `${sessionPaths.download}${id}` };
    },
    async serve(id, response, language) {
      const file = offered.get(id);
      offered.delete(id);
      const size =
        file === undefined || file.until < now()
          ? undefined
          : await stat(file.path).then(
              (s) => s.size,
              () => undefined,
            );
      if (file === undefined || size === undefined) {
        response.writeHead(404, { ...securityHeaders, 'Content-Type': 'text/plain; charset=utf-8' });
        response.end(`${say(language, 'web.usedDownload')}\n`);
        return;
      }
      response.writeHead(200, {
        ...securityHeaders,
        'Content-Type': 'application/octet-stream',
        'Content-Length': size,
        'Content-Disposition': `attachment; filename="${file.name.replace(/[^\w.-]/g, '_')}"; filename*=UTF-8''${inHeader(file.name)}`,
        'Cache-Control': 'no-store',
      });
      // Ends both where one fails: the browser may cancel.
      await pipeline(createReadStream(file.path), response).catch(() => undefined);
    },
  };
}
