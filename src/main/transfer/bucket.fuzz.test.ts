/** Fuzzed bucket listings: parsed, or refused as a RinglabError. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RinglabError } from '../../shared/base/errors.ts';
import { forEachCase, fuzzTimeout, mutateText } from '../../shared/testing/fuzz.ts';
import { createBucket } from './bucket.ts';

const good = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>drive</Name><Prefix>sets</Prefix><KeyCount>2</KeyCount>
<MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>
<Contents><Key>sets/train/cat/1.jpg</Key><Size>5000</Size><ETag>&quot;0123456789abcdef0123456789abcdef&quot;</ETag></Contents>
<Contents><Key>sets/val/a%20b+c/2.jpg</Key><Size>17</Size><ETag>&#34;0123456789abcdef0123456789abcdef-2&#34;</ETag></Contents>
</ListBucketResult>
`;
const words = [
  '<Contents>',
  '</Contents>',
  '<Key>',
  '%',
  '%E0%',
  '&#1114112;',
  '&#99999999999;',
  '9'.repeat(400),
  '<IsTruncated>true</IsTruncated>',
  '<NextContinuationToken>x</NextContinuationToken>',
];

let said = '';
const server = createServer((_request, answer) => answer.end(said));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

it('lists of objects', { timeout: fuzzTimeout() }, () =>
  forEachCase('bucket', async (random) => {
    said = mutateText(good, random, words);
    const { port } = server.address() as AddressInfo;
    const place = { endpoint: `http://127.0.0.1:${port}`, region: 'r', bucket: 'drive', accessKeyId: '' };
    try {
      const objects = await createBucket(place, '', 3).list('sets');
      for (const { size } of objects) expect(Number.isSafeInteger(size)).toBe(true);
    } catch (error) {
      if (!(error instanceof RinglabError)) throw error;
    }
  }),
);
