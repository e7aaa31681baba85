/**
 * Client of an S3-compatible bucket: lists objects below a prefix, and creates presigned URLs for nodes. The secret
 * key never leaves this module's closures.
 */
import { AwsV4Signer } from 'aws4fetch';
import { RinglabError } from '../../shared/base/errors.ts';
import { reasonOf } from '../base/reason.ts';
import { phrase } from '../i18n/index.ts';
import type { Phrase } from '../../shared/base/phrase.ts';
import { serviceAsker, type BucketAnswer } from './bucket-request.ts';
import { withCertificates } from './own-certificates.ts';

export interface BucketPlace {
  /**
   * `https://host[:port]`; may begin with the bucket's name instead of having it in the path (virtual-hosted style). Where
   * such a host refuses the list, the bucket is looked for in the path.
   */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Empty: requests are not signed. */
  readonly accessKeyId: string;
}

export interface BucketObject {
  readonly key: string;
  readonly size: number;
  /** Lower-case hex without quotes. */
  readonly etag: string;
}

export interface Bucket {
  readonly place: BucketPlace;
  /**
   * Every object whose key begins with the prefix, in key order.
   * @throws bucket_refused, download_failed, or the signal's reason
   */
  list(prefix: string, signal?: AbortSignal): Promise<BucketObject[]>;
  /** A presigned URL of this object, valid for twelve hours. */
  addressOf(key: string): Promise<string>;
  /** Whether the service encrypts this object with its own key: its ETag is not an MD5 then. */
  hidesHash(key: string, signal?: AbortSignal): Promise<boolean>;
}

const addressSeconds = 12 * 3600;
const patienceMs = 60_000;
const maxAttempts = 3;
/** Twice the size of ImageNet; more is not kept in memory. */
const maxObjects = 3_000_000;

const strict = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const xmlSigns: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
/** A character reference outside Unicode becomes U+FFFD, as in browsers. */
const characterOf = (code: number): string => String.fromCodePoint(code <= 0x10ffff ? code : 0xfffd);
const plain = (text: string): string =>
  text.replace(/&(?:(lt|gt|amp|quot|apos)|#(\d+));/g, (_, name: string | undefined, number: string) =>
    name === undefined ? characterOf(Number(number)) : (xmlSigns[name] ?? ''),
  );
const element = (xml: string, name: string): string | undefined => {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return found === undefined ? undefined : plain(found);
};

const maxPages = 20_000;

/** @param most maximum of list pages */
export function createBucket(place: BucketPlace, secretKey: string, max = maxPages): Bucket {
  const base = new URL(place.endpoint);
  const askService = serviceAsker(base);
  const inPath = `/${strict(place.bucket)}`;
  /** Before the key in an address. Also a server that has buckets in the path may be named as one of them: the first list shows it. */
  let ofBucket = base.host.startsWith(`${place.bucket}.`) ? '' : inPath;
  const cache = new Map<string, ArrayBuffer>();
  const urlOf = (key: string, before = ofBucket): URL => {
    const path = key.split('/').map(strict).join('/');
    // A URL cannot contain such segments: they would be normalised to another object's path.
    if (/(^|\/)\.{1,2}(\/|$)/.test(key)) throw refused(phrase('reasons.bucket.key', { key }));
    return new URL(`${base.origin}${before}/${path}`);
  };
  const refused = (reason: string | Phrase): RinglabError =>
    new RinglabError('bucket_refused', { bucket: place.bucket, endpoint: base.origin, reason });

  const signed = async (
    url: URL,
    method: string,
    signQuery: boolean,
  ): Promise<{ url: URL; headers: Headers }> => {
    if (place.accessKeyId === '') return { url, headers: new Headers() };
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      accessKeyId: place.accessKeyId,
      secretAccessKey: secretKey,
      region: place.region,
      service: 's3',
      cache,
      signQuery,
      ...(signQuery ? {} : { headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } }),
    });
    return await signer.sign();
  };

  /** Throws bucket_refused for an error of the service, download_failed without an answer. */
  const ask = async (url: URL, method: string, signal: AbortSignal | undefined): Promise<BucketAnswer> => {
    for (let turn = 1; ; turn += 1) {
      signal?.throwIfAborted();
      const request = await signed(url, method, false);
      const limit = AbortSignal.timeout(patienceMs);
      let reason: Phrase | string;
      try {
        const limited = signal === undefined ? limit : AbortSignal.any([signal, limit]);
        const response = await askService(request.url, method, request.headers, limited);
        if (response.status >= 200 && response.status < 300) return response;
        const answer = method === 'HEAD' ? '' : await response.text();
        const words = [element(answer, 'Code'), element(answer, 'Message')].filter(
          (one) => one !== undefined,
        );
        reason = words.length === 0 ? `HTTP ${response.status}` : words.join(': ');
        if (response.status < 500) throw refused(reason);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof RinglabError) throw error;
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
        reason = reasonOf(cause instanceof Error ? withCertificates(cause) : cause);
      }
      if (turn === maxAttempts) throw new RinglabError('download_failed', { url: base.origin, reason });
      await new Promise((resolve) => setTimeout(resolve, 500 * turn));
    }
  };

  /** Keys in the list are URL-encoded. */
  const decoded = (key: string): string => {
    try {
      return decodeURIComponent(key.replaceAll('+', ' '));
    } catch {
      throw refused(phrase('reasons.bucket.encoding'));
    }
  };

  /** @throws bucket_refused, also for an answer that is no list */
  const page = async (
    prefix: string,
    from: string | undefined,
    signal: AbortSignal | undefined,
    before = ofBucket,
  ): Promise<string> => {
    const url = urlOf('', before);
    url.searchParams.set('list-type', '2');
    // Keys may contain characters that are invalid in XML 1.0.
    url.searchParams.set('encoding-type', 'url');
    url.searchParams.set('prefix', prefix);
    if (from !== undefined) url.searchParams.set('continuation-token', from);
    const xml = await (await ask(url, 'GET', signal)).text().catch((error: unknown) => {
      signal?.throwIfAborted();
      throw refused(reasonOf(error));
    });
    if (!xml.includes('<ListBucketResult')) throw refused(phrase('reasons.bucket.noList'));
    return xml;
  };

  const firstPage = async (prefix: string, signal: AbortSignal | undefined): Promise<string> => {
    const before = ofBucket;
    try {
      return await page(prefix, undefined, signal, before);
    } catch (error) {
      const isRefused = error instanceof RinglabError && error.code === 'bucket_refused';
      if (before !== '' || !isRefused) throw error;
      try {
        const xml = await page(prefix, undefined, signal, inPath);
        ofBucket = inPath;
        return xml;
      } catch {
        signal?.throwIfAborted();
        throw error;
      }
    }
  };

  return {
    place,
    async list(prefix, signal) {
      const objects: BucketObject[] = [];
      let from: string | undefined;
      let pages = 0;
      do {
        const xml = from === undefined ? await firstPage(prefix, signal) : await page(prefix, from, signal);
        for (const [, one = ''] of xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)) {
          const key = element(one, 'Key');
          const size = element(one, 'Size') ?? '';
          if (key === undefined || !/^\d{1,15}$/.test(size)) throw refused(phrase('reasons.bucket.noKey'));
          const etag = (element(one, 'ETag') ?? '').replaceAll('"', '').toLowerCase();
          objects.push({ key: decoded(key), size: Number(size), etag });
        }
        if (objects.length > maxObjects)
          throw refused(phrase('reasons.bucket.many', { count: maxObjects, prefix }));
        const next =
          element(xml, 'IsTruncated') === 'true' ? element(xml, 'NextContinuationToken') : undefined;
        // A page without objects is rare; limits the number of pages.
        pages += 1;
        if ((next !== undefined && next === from) || pages > max)
          throw refused(phrase('reasons.bucket.endless'));
        from = next;
      } while (from !== undefined);
      return objects;
    },
    async addressOf(key) {
      const url = urlOf(key);
      if (place.accessKeyId === '') return url.href;
      url.searchParams.set('X-Amz-Expires', String(addressSeconds));
      return (await signed(url, 'GET', true)).url.href;
    },
    async hidesHash(key, signal) {
      const { header } = await ask(urlOf(key), 'HEAD', signal);
      return (
        (header('x-amz-server-side-encryption') ?? '').startsWith('aws:kms') ||
        header('x-amz-server-side-encryption-customer-algorithm') !== undefined
      );
    },
  };
}
