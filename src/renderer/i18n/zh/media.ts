/** Texts of histograms and pictures that a script logged, in Chinese. */
import type { media as english } from '../en/media.ts';
import type { Words } from '../../../shared/i18n/words.ts';

export const media: Words<typeof english> = {
  pictures: '图片',
  histograms: '直方图',
  rank: 'rank {{rank}}',
  step: '第 {{step}} 步',
  picture: '{{name}}，第 {{step}} 步',
  enlarge: '放大第 {{step}} 步的 {{name}}',
  all: '显示全部 {{count}} 张',
  failed: '未能获取',
  strip: '{{name}}：取值 {{low}} 至 {{high}}，第 {{first}} 至 {{last}} 步',
  more_other: '另有 {{count}} 个名称未显示。',
};
