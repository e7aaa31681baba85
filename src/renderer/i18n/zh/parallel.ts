/** Texts of the parallel-coordinates chart of runs, in Chinese. */
import type { parallel as english } from '../en/parallel.ts';
import type { Words } from '../../../shared/i18n/words.ts';

export const parallel: Words<typeof english> = {
  title: '各运行的平行坐标图',
  open: '平行坐标',
  hint: '沿坐标轴拖动，可标记经过该范围的运行；指向一条线可查看它的运行。',
  some: '仅绘制 {{count}} 个运行中最新的 {{drawn}} 个；所选范围对全部运行有效。',
  run: '{{name}}：{{values}}',
  axis: '{{name}}的范围。方向键移动下端，Shift 加方向键移动上端，Esc 取消。',
  whole: '全部',
  range: '{{from}} 至 {{to}}',
};
