import { describe, expect, it } from 'vitest';
import { joinArguments, onOneLine, splitArguments, splitRuns } from './script-arguments.ts';

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

describe('the arguments of several runs, one below the other', () => {
  it.each<[string, readonly string[]]>([
    ['', ['']],
    ['--lr 0.1\n  --lr 0.2\r\n', ['--lr 0.1', '--lr 0.2', '']],
    ['--a 1 \\\n --b 5\n--a 2 \\\n --b 5', ['--a 1 \\\n --b 5', '--a 2 \\\n --b 5']],
    ['--name "a\nb"\n--name c', ['--name "a\nb"', '--name c']],
    ['--a \\\\\n--b', ['--a \\\\', '--b']],
    ["--a 'x\\'\n--b", ["--a 'x\\'", '--b']],
    ['--a "x\n--b y', ['--a "x', '--b y']],
    ['--a \\\n--b \\', ['--a \\\n--b \\']],
  ])('%j are as many as a shell would read', (text, expected) => {
    expect(splitRuns(text)).toEqual(expected);
  });

  it('begin with those of the lab, in the same words', () => {
    const written = '--lr 0.1 \\\n  --epochs 5 --name "a\nb"';
    expect(onOneLine('--lr 0.1 \\\n  --epochs 5')).toBe('--lr 0.1 --epochs 5');
    const [first = '', ...others] = splitRuns(onOneLine(written));
    expect(others).toEqual([]);
    expect(words(first)).toEqual(words(written));
    expect(onOneLine('--a "b')).toBe('--a "b');
    expect(onOneLine('--a "b c"')).toBe('--a "b c"');
  });
});
