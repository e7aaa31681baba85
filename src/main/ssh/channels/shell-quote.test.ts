import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellQuote } from './shell-quote.ts';

const words = [
  'plain',
  '',
  'two words',
  "it's",
  '"double"',
  `'"'"'`,
  '$HOME `id` $(id) \\ \\n',
  'line\nbreak\n',
  '数据集 图像',
  '🚀 ring 🧪',
  '-rf',
  '~/not-a-home',
  '*?[a]{b,c}',
  '!history',
  '\ttab\r',
];

describe('shellQuote', () => {
  it.each(words)('fault 07: a POSIX shell reads %j unchanged', (word) => {
    expect(execFileSync('/bin/sh', ['-c', `printf %s ${shellQuote(word)}`]).toString()).toBe(word);
  });

  it('separates words', () => {
    const script = `for word in ${words.map(shellQuote).join(' ')}; do printf '%s|' "$word"; done`;
    expect(execFileSync('/bin/sh', ['-c', script]).toString()).toBe(`${words.join('|')}|`);
  });

  it('leaves plain words unquoted', () => {
    expect(['tar', '-C', '/a/b', '--file=x.tar'].map(shellQuote).join(' ')).toBe('tar -C /a/b --file=x.tar');
  });

  it('refuses NUL, which no argument can contain', () => {
    expect(() => shellQuote('a\0b')).toThrow(TypeError);
  });
});
