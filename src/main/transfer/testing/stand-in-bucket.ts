/**
 * For tests: a fake S3-compatible service on the loopback: one bucket in memory, listed in pages, read whole or in
 * ranges, with mandatory signatures (AWS Signature 4, computed with node:crypto). It can be made to fail.
 */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StandInBucket {
  readonly url: string;
  readonly objects: Map<string, { bytes: Buffer; etag?: string }>;
  /** Every request that was answered with an object or a list: method, key or `?list`, first byte. */
  readonly asked: { readonly method: string; readonly what: string; readonly from: number }[];
  /** Bytes of objects' bodies sent. */
  sent: number;
  /** Breaks the connection after so many bytes of one answer's body, once each time it is set. */
  breakAfter: number | undefined;
  /** What HEAD says of encryption. */
  encryption: string | undefined;
  close(): Promise<void>;
}

export interface StandInBucketOptions {
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretKey: string;
  readonly region?: string;
  /** Keys a page of the list. */
  readonly page?: number;
  /** Anybody may read. */
  readonly open?: boolean;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const strict = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const xml = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c);

/** What is wrong with a request's signature, as S3 names it; undefined where nothing is. */
function signatureFault(
  request: IncomingMessage,
  url: URL,
  options: StandInBucketOptions,
): string | undefined {
  const query = url.searchParams;
  const header = request.headers.authorization;
  let credential: string, signedHeaders: string, signature: string, date: string, payload: string;
  if (query.has('X-Amz-Signature')) {
    [credential, signedHeaders, signature, date] = ['Credential', 'SignedHeaders', 'Signature', 'Date'].map(
      (name) => query.get(`X-Amz-${name}`) ?? '',
    ) as [string, string, string, string];
    payload = 'UNSIGNED-PAYLOAD';
    const made = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
    const until = made + Number(query.get('X-Amz-Expires')) * 1000;
    if (!(Date.now() < until)) return 'AccessDenied';
  } else if (header !== undefined) {
    const part = (name: string): string => new RegExp(`${name}=([^,\\s]+)`).exec(header)?.[1] ?? '';
    [credential, signedHeaders, signature] = [part('Credential'), part('SignedHeaders'), part('Signature')];
    date = String(request.headers['x-amz-date']);
    payload = String(request.headers['x-amz-content-sha256']);
  } else return 'AccessDenied';
  const [id, day = '', region = '', service = '', end] = credential.split('/');
  if (id !== options.accessKeyId) return 'InvalidAccessKeyId';
  if (region !== (options.region ?? 'us-east-1') || end !== 'aws4_request')
    return 'AuthorizationHeaderMalformed';
  const sorted = [...query.entries()]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${strict(name)}=${strict(value)}`)
    .sort();
  const canonical = [
    request.method,
    decodeURIComponent(url.pathname).split('/').map(strict).join('/'),
    sorted.join('&'),
    ...signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}`),
    '',
    signedHeaders,
    payload,
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', date, `${day}/${region}/${service}/aws4_request`, hash(canonical)].join(
    '\n',
  );
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${options.secretKey}`,
  );
  return hmac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}

export async function startStandInBucket(options: StandInBucketOptions): Promise<StandInBucket> {
  const state = {
    objects: new Map<string, { bytes: Buffer; etag?: string }>(),
    asked: [] as { method: string; what: string; from: number }[],
    sent: 0,
    breakAfter: undefined as number | undefined,
    encryption: undefined as string | undefined,
  };
  const etagOf = ({ bytes, etag }: { bytes: Buffer; etag?: string }): string =>
    etag ?? createHash('md5').update(bytes).digest('hex');
  const refuse = (response: ServerResponse, status: number, code: string): void => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>as asked</Message></Error>`);
  };
  const list = (query: URLSearchParams, response: ServerResponse): void => {
    const prefix = query.get('prefix') ?? '';
    const after = Buffer.from(query.get('continuation-token') ?? '', 'base64').toString();
    const keys = [...state.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, options.page ?? 1000);
    const more = keys.length > page.length;
    const rows = page.map((key) => {
      const object = state.objects.get(key) ?? { bytes: Buffer.alloc(0) };
      const etag = xml(`"${etagOf(object)}"`);
      return `<Contents><Key>${xml(encodeURIComponent(key).replaceAll('%20', '+'))}</Key><Size>${object.bytes.length}</Size><ETag>${etag}</ETag></Contents>`;
    });
    const token = Buffer.from(page.at(-1) ?? '').toString('base64');
    const next = more ? `<NextContinuationToken>${token}</NextContinuationToken>` : '';
    state.asked.push({ method: 'GET', what: '?list', from: 0 });
    response.end(
      `<?xml version="1.0"?><ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${rows.join('')}</ListBucketResult>`,
    );
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', 'http://service');
    const fault = options.open === true ? undefined : signatureFault(request, url, options);
    if (fault !== undefined) {
      refuse(response, 403, fault);
      return;
    }
    const [, bucket, ...rest] = decodeURIComponent(url.pathname).split('/');
    if (bucket !== options.bucket) {
      refuse(response, 404, 'NoSuchBucket');
      return;
    }
    const key = rest.join('/');
    if (key === '') {
      list(url.searchParams, response);
      return;
    }
    const object = state.objects.get(key);
    if (object === undefined) {
      refuse(response, 404, 'NoSuchKey');
      return;
    }
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (from > 0 && from >= object.bytes.length) {
      refuse(response, 416, 'InvalidRange');
      return;
    }
    const method = request.method ?? '';
    state.asked.push({ method, what: key, from });
    const body = object.bytes.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': body.length,
      ...(from > 0
        ? { 'content-range': `bytes ${from}-${object.bytes.length - 1}/${object.bytes.length}` }
        : {}),
      etag: `"${etagOf(object)}"`,
      ...(state.encryption === undefined ? {} : { 'x-amz-server-side-encryption': state.encryption }),
    });
    if (method === 'HEAD') {
      response.end();
      return;
    }
    const limit = state.breakAfter;
    if (limit !== undefined && body.length > limit) {
      state.breakAfter = undefined;
      state.sent += limit;
      response.write(body.subarray(0, limit), () => response.destroy());
      return;
    }
    state.sent += body.length;
    response.end(body);
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on TCP, it has an address with a port.
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}
