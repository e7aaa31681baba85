import { describe, expect, it } from 'vitest';
import { asTerminalShows } from './terminal-line.ts';

describe('a line as a terminal shows it', () => {
  it.each([
    ['\u001b[32mgreen\u001b[0m', 'green'],
    ['10 %\r50 %\r100 %\r', '100 %'],
    ['\r\u001b[K  1/3  0G: 50% 1/2\r\u001b[K  1/3  0G: 100% 2/2', '  1/3  0G: 100% 2/2'],
    ['\b\b\b\r\u001b[1m26/26\u001b[0m done', '26/26 done'],
    ['26/26\b\b\b\b\b', '26/26'],
    ['\u001b]0;title\u0007text', 'text'],
    ['bell \u0007', String.raw`bell \u0007`],
  ])('%j', (line, shown) => {
    expect(asTerminalShows(line)).toBe(shown);
  });

  // Where time grows with the square of the length, this takes hours.
  it.each([
    ['\u009d', String.raw`\u009d`],
    ['\u001b]', String.raw`\u001b]`],
    ['\b', String.raw`\u0008`],
  ])('a million of %j between two letters', (character, shown) => {
    const times = 1_000_000;
    expect(asTerminalShows(`x${character.repeat(times)}y`) === `x${shown.repeat(times)}y`).toBe(true);
  });
  it('a million that only move the cursor, at the end', () => {
    expect(asTerminalShows(`x${'\b\r'.repeat(1_000_000)}`)).toBe('x');
  });
});
