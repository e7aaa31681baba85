/**
 * Downloads a file to this computer, resuming an earlier attempt. Addresses come from nodes and labs: only `http` and
 * `https`, only what `fetchable` allows at every redirect, and never more than the agreed size.
 */
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RinglabError } from '../../shared/base/errors.ts';
import { shownAddress } from '../../shared/base/shown-address.ts';
import { reasonOf, WordedError } from '../base/reason.ts';
import { phrase } from '../i18n/index.ts';
import { createIntake, isIntakeStop, needLocalBytes, type FreeBytes } from '../ssh/index.ts';
import { ownProxyFor } from '../base/proxy-variables.ts';
import { trustSystemStore, withCertificates } from './own-certificates.ts';
import { agentThrough } from './own-proxy.ts';
import { allowedAddresses, allowedName, fetchable, pinned, type ReachRule } from './reachable.ts';

const maxRedirects = 5;
/** Time-out without data. */
const patienceMs = 60_000;
/** Minimum number of bytes in the time below: a slower source is given up. */
const slowestBytes = 30 * 60;
const slowestMs = 60_000;

export interface DownloadOptions {
  /** Bytes that the target file already has. */
  readonly have?: number;
  /** Maximum size of the whole file, whatever is announced. */
  readonly max: number;
  /** Whether the file's size is exactly `max`. */
  readonly exact?: boolean;
  readonly allows?: ReachRule;
  readonly freeBytes?: FreeBytes;
}

async function ask(url: URL, have: number, allows: ReachRule, signal: AbortSignal): Promise<IncomingMessage> {
  const protocol = url.protocol === 'https:' ? 'https:' : 'http:';
  const port = url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port);
  const proxy = ownProxyFor(protocol, url.hostname, port);
  const pins = proxy === undefined ? pinned(await allowedAddresses(url.hostname, port, allows)) : {};
  if (protocol === 'https:') trustSystemStore();
  if (proxy !== undefined) await allowedName(url.hostname, port, allows);
  return new Promise((resolve, reject) => {
    const get = protocol === 'https:' ? getHttps : getHttp;
    const headers = { 'accept-encoding': 'identity', ...(have > 0 ? { range: `bytes=${have}-` } : {}) };
    const agent = agentThrough(proxy, protocol);
    const asked = get(url, { signal, headers, timeout: patienceMs, agent, ...pins }, resolve);
    asked.on('error', (error) => reject(withCertificates(error)));
    asked.on('timeout', () =>
      asked.destroy(new WordedError(phrase('reasons.download.silent', { seconds: patienceMs / 1000 }))),
    );
  });
}

/** Forwards data after `take`, and aborts where it arrives too slowly. */
function gauge(take: (bytes: number) => Promise<void>): Transform {
  let since = 0;
  const watch = setInterval(() => {
    if (since < slowestBytes)
      gate.destroy(
        new WordedError(phrase('reasons.download.slow', { bytes: slowestBytes, seconds: slowestMs / 1000 })),
      );
    since = 0;
  }, slowestMs);
  watch.unref();
  const gate = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      since += chunk.length;
      take(chunk.length).then(
        () => done(null, chunk),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
    },
  });
  gate.on('close', () => clearInterval(watch));
  return gate;
}

const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/**
 * The caller must verify the hash.
 * @param url `http:` or `https:`
 * @throws download_failed (the partial file stays); download_too_large, local_disk_small, local_disk_full (the
 * partial file is removed); or the signal's reason
 */
export async function downloadFile(
  url: string,
  to: string,
  { have = 0, max, exact = false, allows = fetchable, freeBytes }: DownloadOptions,
  signal: AbortSignal,
): Promise<void> {
  try {
    let at = new URL(url);
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      if (!/^https?:$/.test(at.protocol))
        throw new WordedError(phrase('reasons.download.protocol', { protocol: at.protocol }));
      const answer = await ask(at, have, allows, signal);
      const status = answer.statusCode ?? 0;
      const { location } = answer.headers;
      if (status >= 300 && status < 400 && location !== undefined) {
        answer.destroy();
        at = new URL(location, at);
        continue;
      }
      // Nothing is missing, which the hash will confirm.
      if (status === 416) {
        answer.destroy();
        return;
      }
      if (status !== 200 && status !== 206) {
        answer.destroy();
        throw new Error(`HTTP ${status}`);
      }
      const from = status === 206 ? have : 0;
      const announced = Number(answer.headers['content-length'] ?? 0);
      try {
        if (from + announced > max)
          throw new RinglabError('download_too_large', {
            path: shownAddress(url),
            size: from + announced,
            limit: max,
          });
        await needLocalBytes(to, exact ? max - from : announced, freeBytes);
      } catch (error) {
        answer.destroy();
        throw error;
      }
      const take = createIntake({
        name: url,
        path: to,
        max,
        have: from,
        ...(freeBytes === undefined ? {} : { freeBytes }),
      });
      await pipeline(answer, gauge(take), createWriteStream(to, { flags: status === 206 ? 'a' : 'w' }), {
        signal,
      });
      return;
    }
    throw new WordedError(phrase('reasons.download.redirections', { count: maxRedirects }));
  } catch (error) {
    signal.throwIfAborted();
    if (isIntakeStop(error) || isDiskFull(error)) await rm(to, { force: true });
    if (error instanceof RinglabError) throw error;
    if (isDiskFull(error)) throw new RinglabError('local_disk_full', { path: to }, { cause: error });
    throw new RinglabError(
      'download_failed',
      { url: shownAddress(url), reason: reasonOf(error) },
      { cause: error },
    );
  }
}
