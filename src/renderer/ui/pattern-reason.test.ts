/** Where a pattern is not understood is counted in characters, as its reader counts. */
import i18next from 'i18next';
import { beforeAll, expect, it } from 'vitest';
import { startI18n } from '../i18n/index.ts';
import { patternReason } from './pattern-reason.ts';

beforeAll(() => startI18n('zh-CN'));

it.each([
  ['loss=([0-9.]+', 'a ( without ) at character 14', '第 14 个字符处'],
  ['损失=([0-9.]+', 'a ( without ) at character 16', '第 12 个字符处'],
  ['准确率)', 'an unmatched ) at character 10', '第 4 个字符处'],
  ['😀)', 'an unmatched ) at character 5', '第 2 个字符处'],
])('in %s', (pattern, sentence, place) => {
  expect(patternReason(sentence, i18next.t, pattern)).toContain(place);
});
