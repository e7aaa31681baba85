import { expect, it } from 'vitest';
import { markedParts } from './marked-parts.ts';

it('marks what patterns match, overlapping matches as one', () => {
  const parts = (text: string, ...matches: [number, number][]): string =>
    markedParts(
      text,
      matches.map(([begin, end]) => ({ begin, end })),
    )
      .map(({ part, marked }) => (marked ? `[${part}]` : part))
      .join('');
  expect(parts('abcdef')).toBe('abcdef');
  expect(parts('abcdef', [4, 6], [0, 2])).toBe('[ab]cd[ef]');
  expect(parts('abcdef', [0, 3], [2, 4], [1, 2])).toBe('[abcd]ef');
  expect(parts('abcdef', [2, 2])).toBe('abcdef');
  expect(parts('', [0, 0])).toBe('');
});
