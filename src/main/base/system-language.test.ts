import { describe, expect, it } from 'vitest';
import { systemLanguage } from './system-language.ts';

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
