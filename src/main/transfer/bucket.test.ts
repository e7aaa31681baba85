/** Tests where a bucket is at its service: in the path, or in the host, which begins with its name. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createBucket, type BucketPlace } from './bucket.ts';
import { startStandInBucket } from './testing/stand-in-bucket.ts';

/** The first label of the loopback's host, which any service in these tests has. */
const bucket = '127';
const open = { region: 'us-east-1', bucket, accessKeyId: '' };
const found = '<ListBucketResult><Contents><Key>a.jpg</Key><Size>1</Size></Contents></ListBucketResult>';
const keys = (objects: readonly { readonly key: string }[]): string[] => objects.map(({ key }) => key);

let server: Server | undefined;
afterEach(() => void server?.close());

/** A service that answers lists at these paths, and refuses all others. */
async function serviceWith(answers: Readonly<Record<string, string>>): Promise<BucketPlace> {
  const made = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://service');
    const answer = answers[pathname];
    response.writeHead(answer === undefined ? 403 : 200);
    response.end(answer ?? `<Error><Code>Refused ${pathname}</Code></Error>`);
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  // Listening on TCP, it has an address with a port.
  const { port } = made.address() as AddressInfo;
  return { ...open, endpoint: `http://127.0.0.1:${port}` };
}

it('a bucket named as the first label of its server’s host is found in the path, with signatures', async () => {
  const keyed = { bucket, accessKeyId: 'AK', secretKey: 'secret' };
  const service = await startStandInBucket({ ...keyed, page: 2 });
  for (const key of ['a.jpg', 'b.jpg', 'c.jpg']) service.objects.set(key, { bytes: Buffer.from(key) });
  service.encryption = 'aws:kms';
  const made = createBucket({ ...open, accessKeyId: 'AK', endpoint: service.url }, 'secret');
  expect(keys(await made.list(''))).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);
  expect(keys(await made.list('b'))).toEqual(['b.jpg']);
  expect(await (await fetch(await made.addressOf('c.jpg'))).text()).toBe('c.jpg');
  expect(await made.hidesHash('a.jpg')).toBe(true);
  await service.close();
});

it('so is one of a server that lists its buckets instead', async () => {
  const place = await serviceWith({ '/': '<ListAllMyBucketsResult/>', [`/${bucket}/`]: found });
  const made = createBucket(place, '');
  expect(keys(await made.list(''))).toEqual(['a.jpg']);
  expect(await made.addressOf('a.jpg')).toBe(`${place.endpoint}/${bucket}/a.jpg`);
});

it('one that its host serves is not looked for in the path', async () => {
  const place = await serviceWith({ '/': found, [`/${bucket}/`]: '<ListBucketResult/>' });
  const made = createBucket(place, '');
  expect(keys(await made.list(''))).toEqual(['a.jpg']);
  expect(await made.addressOf('a.jpg')).toBe(`${place.endpoint}/a.jpg`);
});

it('where both are refused, the reason is that of the host', async () => {
  const made = createBucket(await serviceWith({}), '');
  const refusal = { code: 'bucket_refused', params: { reason: 'Refused /' } };
  for (const attempt of [1, 2]) await expect(made.list(''), `${attempt}`).rejects.toMatchObject(refusal);
});
