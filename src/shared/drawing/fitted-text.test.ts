import { expect, it } from 'vitest';
import { widthOf, wrapped } from './fitted-text.ts';

it('text is wrapped at word boundaries, and anywhere in longer words', () => {
  expect(wrapped('one two', 10, 30)).toEqual(['one', 'two']);
  expect(wrapped('一二三四', 10, 20)).toEqual(['一二', '三四']);
  expect(wrapped('', 10, 20)).toEqual(['']);
  expect(wrapped('a\n\nb', 10, 20)).toEqual(['a', '', 'b']);
  const long = wrapped('x'.repeat(20), 10, 30);
  expect(long.join('')).toBe('x'.repeat(20));
  expect(Math.max(...long.map((each) => each.length))).toBe(5);
  // Nothing is lost, and no emoji is cut in two.
  const name = `deep/${'block_of_the_network_'.repeat(8)}损失🙂👍🏽`;
  for (const room of [40, 90, 300]) {
    const lines = wrapped(name, 11, room);
    expect(lines.join('')).toBe(name);
    for (const line of lines) expect(widthOf(line, 11)).toBeLessThanOrEqual(room);
    expect(lines.some((line) => line.includes('👍🏽'))).toBe(true);
  }
});
