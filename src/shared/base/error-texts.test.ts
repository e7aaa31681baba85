import { describe, expect, it } from 'vitest';
import { describeError, errorTexts } from './error-texts.ts';
import { errorCodes } from './errors.ts';

const parameters = (text: string): string[] =>
  [...text.matchAll(/\{(\w+(?::bytes)?)\}/g)].map((match) => match[1] ?? '').sort();

describe('error texts', () => {
  it.each(errorCodes)('%s says the same in both languages', (code) => {
    const en = errorTexts.en[code];
    const zh = errorTexts['zh-CN'][code];
    expect(en.message.length).toBeGreaterThan(3);
    expect(zh.message).toMatch(/[\u4e00-\u9fff]|^\{path\}/);
    expect(parameters(en.message + en.hint)).toEqual(parameters(zh.message + zh.hint));
  });

  it('fills in parameters and the place', () => {
    const said = describeError({ code: 'host_refused', params: { host: 'n1', port: 22 }, where: 'N1' }, 'en');
    expect(said.message).toBe('N1: n1:22 refuses connections.');
  });

  it('gives amounts of data in the largest unit that fits', () => {
    const params = { path: '/home', needed: 21_500_000_000, free: 1024 };
    const said = (language: 'en' | 'zh-CN') =>
      describeError({ code: 'node_disk_full', params }, language).message;
    expect(said('en')).toBe('Not enough space in /home: 21.5 GB needed, 1 kB free.');
    expect(said('zh-CN')).toBe('/home 空间不足：需要 21.5 GB，剩余 1 kB。');
  });

  it('name the kind of what is missing in the user’s language; an unknown one as it is', () => {
    const missing = (what: string) => ({ code: 'not_found', params: { what, id: 'x' } }) as const;
    expect(describeError(missing('run'), 'en').message).toBe('The run “x” does not exist.');
    expect(describeError(missing('run'), 'zh-CN').message).toBe('运行“x”不存在。');
    expect(describeError(missing('constructor'), 'zh-CN').message).toBe('constructor“x”不存在。');
  });
});
