import { expect, it } from 'vitest';
import { oneLine, paragraphs, typedLine, typedParagraphs } from './plain-text.ts';

/** Each of the characters that Unicode's first ten thousand code points have. */
const each = Array.from({ length: 0x2800 }, (_, code) => `a${String.fromCharCode(code)}b`);

it('what is typed or pasted is cleaned to what a document takes, and nothing else is changed', () => {
  for (const text of each) {
    const [line, lines] = [typedLine(text), typedParagraphs(text)];
    expect(oneLine(10).safeParse(line).data).toBe(line);
    expect(paragraphs(10).safeParse(lines).data).toBe(lines);
    if (oneLine(10).safeParse(text).success) expect(line).toBe(text);
    if (paragraphs(10).safeParse(text).success) expect(lines).toBe(text);
  }
  expect(typedLine('my\tlab ')).toBe('my lab ');
  expect(typedLine('a\r\n\u2028b')).toBe('a b');
  expect(typedParagraphs('a\u000bb\u2029c\r\n\td')).toBe('ab\nc\r\n\td');
});
