/** Fuzzed counters of the kernel's table: numbers of our own devices, or nothing. */
import { expect, it } from 'vitest';
import { forEachCase, fuzzTimeout, mutateText } from '../../shared/testing/fuzz.ts';
import { parseReading } from './watch.ts';

const good = `rl3: 1000 12 0 0 0 0 0 0 2000 14 0 0 0 0 0 0
rl12: 5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0
rl3 up
rl12 lowerlayerdown`;

it('counters and states of links', { timeout: fuzzTimeout() }, () =>
  forEachCase('parseReading', (random) => {
    const words = ['rl', ': ', 'up', '9'.repeat(400), '-1', '1e9', '\t'];
    const { counters } = parseReading(mutateText(good, random, words).split('\n'));
    for (const [device, { received, sent }] of counters) {
      expect(device).toMatch(/^rl\d+$/);
      expect(Number.isFinite(received) && received >= 0).toBe(true);
      expect(Number.isFinite(sent) && sent >= 0).toBe(true);
    }
  }),
);
