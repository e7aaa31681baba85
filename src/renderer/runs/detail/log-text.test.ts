import { expect, it } from 'vitest';
import { append, emptyTail } from './log-tail.ts';

const shown = (text: string): readonly string[] =>
  append(emptyTail, { text, offset: 0, nextOffset: text.length }).lines;

it('finding: neither a shown log nor text copied from it has escape sequences', () => {
  expect(shown('\x1b[31mred\x1b[0m\n')).toEqual(['red']);
  expect(shown('a\x1b]52;c;cm0gLXJm\x07b\n')).toEqual(['ab']);
  expect(shown('a\x9b2Jb\x9d0;owned\x9cc\x1bPq\x1b\\d\n')).toEqual(['abcd']);
  expect(shown('10 %\r20 %\r\n')).toEqual(['20 %']);
  expect(shown('gnp.\u202ecod\x08\x07\n')).toEqual(['gnp.\\u202ecod\\u0008\\u0007']);
  expect(shown('温度\t👩‍💻\n')).toEqual(['温度\t👩‍💻']);
});
