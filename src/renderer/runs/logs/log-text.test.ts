import { expect, it } from 'vitest';
import { append, emptyTail, startTail } from './log-tail.ts';

const shown = (text: string): readonly string[] =>
  append(emptyTail, { text, offset: 0, nextOffset: text.length }).lines.map((line) => line.text);

it('finding: neither a shown log nor text copied from it has escape sequences', () => {
  expect(shown('\x1b[31mred\x1b[0m\n')).toEqual(['red']);
  expect(shown('a\x1b]52;c;cm0gLXJm\x07b\n')).toEqual(['ab']);
  expect(shown('a\x9b2Jb\x9d0;owned\x9cc\x1bPq\x1b\\d\n')).toEqual(['abcd']);
  expect(shown('10 %\r20 %\r\n')).toEqual(['20 %']);
  expect(shown('gnp.\u202ecod\x08\x07\n')).toEqual(['gnp.\\u202ecod\\u0008\\u0007']);
  expect(shown('温度\t👩‍💻\n')).toEqual(['温度\t👩‍💻']);
});

it('each line has the time at which it began to arrive, where that was noted', () => {
  const first = startTail({
    // The slice begins within a line, and ends within one.
    text: 'orn\nold\na\nb\nha',
    offset: 50,
    nextOffset: 65,
    arrivals: [
      { line: 2, t: 100 },
      { line: 4, t: 102 },
    ],
  });
  const next = append(first, {
    text: 'lf\nnew\n',
    offset: 65,
    nextOffset: 72,
    arrivals: [
      { line: 0, t: 102 },
      { line: 1, t: 107 },
    ],
  });
  expect(next.lines.map(({ text, t }) => [text, t])).toEqual([
    ['old', undefined],
    ['a', 100],
    ['b', 100],
    ['half', 102],
    ['new', 107],
  ]);
});
