import { describe, expect, it } from 'vitest';
import { diagnoses } from './diagnoses.ts';
import { candidatesOf, neededTexts } from './needles.ts';
import { ordinaryLines } from '../testing/ordinary-lines.ts';
import { realTexts } from '../testing/real-texts.ts';

describe('the texts of which a pattern needs one', () => {
  it.each([
    [/Disk quota exceeded/, 'Disk quota exceeded'],
    [/NO_PUBKEY (?<key>\w+)/, 'NO_PUBKEY '],
    [/colou?red\.$/, 'colo'],
    [/x{2,3}abc/, 'abc'],
    [/ab+cd\[e\]/, 'cd[e]'],
    [/[abc]rest of it[|]/, 'rest of it'],
    [/a(?:b(?:c|d)e)f/, 'a'],
    [/one|an (?:o)ther/, 'one', 'ther'],
    [/(?:one|another) fell/, ' fell'],
    [/\bGPU is \S+ lost/, 'GPU is '],
  ] as const)('%s', (pattern, ...texts) => expect(neededTexts(pattern)).toEqual(texts));

  it('leaves out no pattern that matches a line', () => {
    const items = diagnoses.flatMap(({ code, patterns }) => patterns.map((pattern) => ({ code, pattern })));
    const { of } = candidatesOf(items);
    for (const line of [...ordinaryLines, ...realTexts.flatMap(([, text]) => text.split('\n'))])
      for (const item of items) if (item.pattern.test(line)) expect(of(line)).toContain(item);
    const calm = ordinaryLines.map((line) => of(line).length);
    expect(calm.reduce((sum, count) => sum + count, 0) / calm.length).toBeLessThan(items.length / 5);
  });
});
