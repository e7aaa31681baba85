/** Texts of a run's scalars, in Chinese. */
import type { scalars as english } from '../en/scalars.ts';
import type { Words } from '../../../shared/i18n/words.ts';

export const scalars: Words<typeof english> = {
  title: '标量',
  search: '查找标量',
  clear: '清除查找',
  found: '{{count}} 个中的 {{shown}} 个',
  pinned: '置顶',
  ungrouped: '未分组',
  count_other: '{{count}} 个图表',
  log: '对数刻度',
  none: '脚本没有写出标量：没有事件文件，没有 JSON 行，输出中也没有类似指标的内容。',
  notYet: '脚本写出或打印的每个指标都会显示为一个图表。',
};
