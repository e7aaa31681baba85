import { expect, it } from 'vitest';
import { pageLanguage } from './page-language.ts';

it.each([
  [undefined, 'en'],
  ['zh-CN,zh;q=0.9,en;q=0.8', 'zh-CN'],
  ['de, zh-Hans;q=0.5', 'zh-CN'],
  ['en;q=0.4, zh;q=0.8', 'zh-CN'],
  ['zh;q=0, fr', 'en'],
  ['zhx, *', 'en'],
  ['zh;q=x', 'en'],
])('what a browser asks for with “%s” is %s', (accepted, language) => {
  expect(pageLanguage(accepted)).toBe(language);
});
