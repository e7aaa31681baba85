/**
 * Fuzzes frames in an arbitrary stream, split into pieces of any size: no piece is delivered twice or late, nothing
 * is kept.
 */
import { expect, it } from 'vitest';
import { forEachCase, fuzzTimeout, mutateText } from '../../../shared/testing/fuzz.ts';
import { FrameReader } from './frame-reader.ts';

const marker = 'RINGLAB-0123456789abcdef';
const good = `Welcome\n${marker}:one\ntwo${marker};0;`;

it('frames', { timeout: fuzzTimeout() }, () =>
  forEachCase('frames', async (random) => {
    const sent = Buffer.from(
      random.chance(0.2)
        ? good
        : mutateText(good, random, [marker, `${marker}:`, `${marker};`, ';', '999', '-1;']),
    );
    const reader = new FrameReader();
    const taken: Buffer[] = [];
    const ended = reader.frame(marker, (chunk) => taken.push(Buffer.from(chunk)));
    for (let at = 0; at < sent.length;) {
      const size = 1 + random.below(random.chance(0.5) ? 3 : 4000);
      reader.push(sent.subarray(at, at + size));
      at += size;
    }
    reader.end();
    const end = await ended;
    const all = Buffer.concat(taken);
    const begin = sent.indexOf(`${marker}:`);
    if (begin === -1) {
      expect(end).toBe('not started');
      expect(all.length).toBe(0);
      return;
    }
    const rest = sent.subarray(begin + marker.length + 1);
    const close = rest.indexOf(`${marker};`);
    expect(all.equals(close === -1 ? rest : rest.subarray(0, close)) || end === 'cut off').toBe(true);
    // Complete: the delivered bytes equal the stream from its first byte on.
    expect(rest.subarray(0, all.length).equals(all)).toBe(true);
    if (typeof end === 'number') expect(end >= 0 && end <= 999).toBe(true);
    expect(await reader.frame(marker, () => undefined)).toBe('not started');
  }),
);
