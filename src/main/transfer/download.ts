/** A file of the internet onto this computer, going on where an earlier attempt stopped. */
import { copyFile } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { RinglabError } from '../../shared/errors.ts';
import { agentThrough, ownProxyFor } from './own-proxy.ts';

const mostRedirects = 5;
/** Of silence. */
const patienceMs = 60_000;

function ask(url: URL, have: number, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const get = url.protocol === 'https:' ? getHttps : getHttp;
    const headers = have > 0 ? { range: `bytes=${have}-` } : {};
    const protocol = url.protocol === 'https:' ? 'https:' : 'http:';
    const port = url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port);
    const agent = agentThrough(ownProxyFor(protocol, url.hostname, port), protocol);
    const asked = get(url, { signal, headers, timeout: patienceMs, agent }, resolve);
    asked.on('error', reject);
    asked.on('timeout', () => asked.destroy(new Error(`nothing came for ${patienceMs / 1000} s`)));
  });
}

/**
 * Whose hash it has is the caller's to look at.
 * @param url `http:`, `https:` or `file:`
 * @param have bytes that lie at `to` already
 * @throws download_failed (what has come stays), or the signal's reason
 */
export async function downloadFile(
  url: string,
  to: string,
  have: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    // A distribution's packages may lie on a disk: apt says `file:/…`.
    if (url.startsWith('file:')) {
      await copyFile(fileURLToPath(new URL(url)), to);
      return;
    }
    let at = new URL(url);
    for (let hop = 0; hop <= mostRedirects; hop += 1) {
      const answer = await ask(at, have, signal);
      const status = answer.statusCode ?? 0;
      const { location } = answer.headers;
      if (status >= 300 && status < 400 && location !== undefined) {
        answer.destroy();
        const next = new URL(location, at);
        if (!/^https?:$/.test(next.protocol)) throw new Error(`leads to ${next.protocol}`);
        at = next;
        continue;
      }
      // Nothing is missing; the hash tells whether that is so.
      if (status === 416) {
        answer.destroy();
        return;
      }
      if (status !== 200 && status !== 206) {
        answer.destroy();
        throw new Error(`answers ${status}`);
      }
      await pipeline(answer, createWriteStream(to, { flags: status === 206 ? 'a' : 'w' }), { signal });
      return;
    }
    throw new Error(`more than ${mostRedirects} redirections`);
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new RinglabError('download_failed', { url, reason }, { cause: error });
  }
}
