import { beforeEach, describe, expect, it } from 'vitest';
import { isAnswer, standAside, typedInto, typeTogether, useTogether, withoutBrackets } from './together.ts';

const tabs = ['a', 'b', 'c'].map((id) => ({ id }));
const into = (id: string): string[] => typedInto({ id }, tabs, useTogether.getState()).map((tab) => tab.id);

beforeEach(() => typeTogether(false));

describe('typing into all terminals', () => {
  it('goes into all except excluded ones; an excluded terminal gets only its own input', () => {
    expect(into('a')).toEqual(['a']);
    typeTogether(true);
    expect(into('b')).toEqual(['b', 'a', 'c']);
    standAside('c', true);
    expect(into('a')).toEqual(['a', 'b']);
    expect(into('c')).toEqual(['c']);
    standAside('c', false);
    expect(into('a')).toEqual(['a', 'b', 'c']);
    standAside('a', true);
    typeTogether(true);
    expect(into('b')).toEqual(['b', 'a', 'c']);
  });

  it('distinguishes automatic replies of a terminal from a user’s input', () => {
    for (const answer of [
      '\x1b[12;1R',
      '\x1b[?1;2c',
      '\x1b[>0;276;0c',
      '\x1b[0n',
      '\x1b[?2004;1$y',
      '\x1b[I',
      '\x1b[<0;10;20M',
      '\x1bP1$r0m\x1b\\',
      '\x1b]11;rgb:0000/0000/0000\x1b\\',
    ]) {
      expect(isAnswer(answer), JSON.stringify(answer)).toBe(true);
    }
    // Letters, Enter, arrows, Delete, F5, Ctrl and an arrow, Alt and P, a pasted text.
    for (const typed of [
      'ls',
      '\r',
      '\x1b[A',
      '\x1bOB',
      '\x1b[3~',
      '\x1b[15~',
      '\x1b[1;5C',
      '\x1bP',
      '\x1b',
      '\x1b[200~R\x1b[201~',
    ]) {
      expect(isAnswer(typed), JSON.stringify(typed)).toBe(false);
    }
  });

  it('removes the markers of a bracketed paste, and nothing else', () => {
    expect(withoutBrackets('\x1b[200~one\rtwo\x1b[201~')).toBe('one\rtwo');
    expect(withoutBrackets('plain')).toBe('plain');
  });
});
