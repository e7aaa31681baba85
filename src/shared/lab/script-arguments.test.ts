import { describe, expect, it } from 'vitest';
import { joinArguments, splitArguments } from './script-arguments.ts';

const words = (text: string): readonly string[] => {
  const split = splitArguments(text);
  if (!split.ok) throw new Error(`${split.quote} at ${split.at}`);
  return split.words;
};

describe('the arguments of a script', () => {
  it.each<[string, readonly string[]]>([
    ['', []],
    ['  \n\t ', []],
    ['--lr 0.1', ['--lr', '0.1']],
    [`--name 'a b' "c d"`, ['--name', 'a b', 'c d']],
    [`--x=''`, ['--x=']],
    [`'' ""`, ['', '']],
    [`a'b'"c"d`, ['abcd']],
    [String.raw`a\ b \'c`, ['a b', "'c"]],
    [String.raw`"a\"b\\c\$d\e"`, [String.raw`a"b\c$d\e`]],
    [String.raw`'a\b'`, [String.raw`a\b`]],
    ['--a 1 \\\n --b 2', ['--a', '1', '--b', '2']],
    ['--a 1 \\\r\n --b 2', ['--a', '1', '--b', '2']],
    ['"a\\\nb"', ['ab']],
    ['a\\', ['a\\']],
    ['$HOME *.py ~ ; rm -rf / | x > y', ['$HOME', '*.py', '~', ';', 'rm', '-rf', '/', '|', 'x', '>', 'y']],
    ['--名 值', ['--名', '值']],
  ])('%j are split as a shell does, expanding nothing', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it.each([
    [`--a 'b`, "'", 4],
    [`--a "b'`, '"', 4],
    [`"a\\"`, '"', 0],
  ])('%j has a quote that is not closed', (text, quote, at) => {
    expect(splitArguments(text)).toEqual({ ok: false, quote, at });
  });

  it('are joined so that they split into the same words', () => {
    const odd = ['', ' ', "it's", '"', '\\', '$(x)', 'a\nb', '--x=1', '值', "'''", '*'];
    expect(words(joinArguments(odd))).toEqual(odd);
  });
});
