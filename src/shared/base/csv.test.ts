import { describe, expect, it } from 'vitest';
import { csvCell } from './csv.ts';

describe('a cell of a CSV file', () => {
  it.each(['', '1', '-1', '+1.5', '-1e-7', '-.5', '1e308', 'NaN', '-Infinity', 'words', '温度', "it's"])(
    'is unchanged: %j',
    (text) => {
      expect(csvCell(text)).toBe(text);
    },
  );

  it('is quoted if it contains separators', () => {
    expect(csvCell('a "b", c\nd')).toBe('"a ""b"", c\nd"');
  });

  it.each([
    ["=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"],
    ['+1+1', "'+1+1"],
    ['-2+3+cmd', "'-2+3+cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['\n=1', '"\'\n=1"'],
    ['=HYPERLINK("http://evil.example","x")', '"\'=HYPERLINK(""http://evil.example"",""x"")"'],
    ['＝1+1', "'＝1+1"],
    ['-', "'-"],
    ['1-1', '1-1'],
  ])('finding: is not a formula: %j', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });
});
