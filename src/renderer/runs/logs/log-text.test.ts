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

/** What is shown after each of the chunks, which arrive one after the other. */
function shownOf(chunks: readonly string[]): readonly (readonly string[])[] {
  let tail = emptyTail;
  return chunks.map((text) => {
    tail = append(tail, { text, offset: tail.nextOffset, nextOffset: tail.nextOffset + text.length });
    return tail.lines.map((line) => line.text);
  });
}

it('a line that arrives in parts is shown as the whole line is', () => {
  expect(shownOf(['10%\r', '20%\r', '30%\r', 'done\n', 'next\n'])).toEqual([
    ['10%'],
    ['20%'],
    ['30%'],
    ['done'],
    ['done', 'next'],
  ]);
  expect(shownOf(['\r 10%', '\r 20%', '\n']).at(-1)).toEqual([' 20%']);
  // Colours that are torn, also right after the return; the state before them stays until the next one is there.
  expect(shownOf(['a \x1b[3', '1mred\x1b[0', 'm\n']).at(-1)).toEqual(['a red']);
  expect(shownOf(['10%\r', '\x1b[', 'K', '\x1b[K\r', '20%']).slice(2)).toEqual([['10%'], ['10%'], ['20%']]);
  expect(shownOf(['a\x1b]0;ti', 'tle\x07b\n']).at(-1)).toEqual(['ab']);
});

it('of a progress bar that is drawn for hours only the last states are kept', () => {
  let tail = emptyTail;
  for (let i = 0; i < 2000; i += 1) {
    const text = `\rstep ${i} ${'#'.repeat(100)}`;
    tail = append(tail, { text, offset: tail.nextOffset, nextOffset: tail.nextOffset + text.length });
  }
  expect(tail.lines.map(({ text }) => text)).toEqual([`step 1999 ${'#'.repeat(100)}`]);
  expect(tail.open.length).toBeLessThan(300);
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
