import { describe, expect, it } from 'vitest';
import { systemLanguage, terminalLanguage } from './system-language.ts';

describe('the language of this computer', () => {
  it.each([
    [{ LANG: 'zh_CN.UTF-8' }, 'zh-CN'],
    [{ LC_ALL: '', LC_MESSAGES: 'zh_TW', LANG: 'en_US.UTF-8' }, 'zh-CN'],
    [{ LC_ALL: 'C', LANG: 'zh_CN.UTF-8' }, 'en'],
    [{ LANG: 'de_DE.UTF-8' }, 'en'],
    [{}, 'en'],
  ])('is %j → %s', (env, language) => {
    expect(systemLanguage(env, 'linux')).toBe(language);
  });
});

describe('the language on a terminal', () => {
  it.each([
    [{ LANG: 'zh_CN.GB18030' }, 'en'],
    [{ LANG: 'zh_TW.Big5' }, 'en'],
    [{ LANG: 'zh_CN.UTF-8', LC_CTYPE: 'zh_CN.GBK' }, 'en'],
    [{ LC_ALL: 'zh_CN.gb2312@x', LANG: 'zh_CN.UTF-8' }, 'en'],
    [{ LANG: 'zh_CN.UTF-8' }, 'zh-CN'],
    [{ LANG: 'zh_CN.utf8@stroke' }, 'zh-CN'],
    [{ LANG: 'zh_CN' }, 'zh-CN'],
    [{ LC_MESSAGES: 'zh_CN.GBK', LANG: 'en_US.UTF-8' }, 'zh-CN'],
    [{ LANG: 'de_DE.ISO-8859-1' }, 'en'],
  ])('is %j → %s: Chinese where the terminal shows UTF-8', (env, language) => {
    expect(terminalLanguage(env, 'linux')).toBe(language);
  });
});
