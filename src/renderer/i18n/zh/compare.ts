/** Texts of the comparison of runs, in Chinese. */
import type { compare as english } from '../en/compare.ts';
import type { Words } from '../../../shared/i18n/words.ts';

export const compare: Words<typeof english> = {
  title: '并排比较运行',
  back: '返回所有运行',
  none: '在表格中选择两个或更多运行以并排查看。',
  table: '结果与设置',
  baselineHint: '基准',
  baseline: '以 {{name}} 为基准比较其他运行',
  imagesPerSecond: '图像/秒（所有 rank）',
  speedUp: '加速比',
  efficiency: '扩展效率',
  secondsPerStep: '每步用时',
  expected: '开始前的预计',
  took: '运行用时',
  bytesPerStep: '每步发送',
  gpuPercent: 'GPU 利用率（平均）',
  gpuMemory: '显存（最大）',
  cpuPercent: 'CPU 利用率（平均）',
  modesApart:
    '自动选择为这些运行选用了不同的同步方式：{{modes}}。要公平比较，请重复其中一个运行：重复的运行保留其方式。',
  modesApartToo:
    '这些运行的{{settings}}不同，自动选择的同步方式也不同：{{modes}}。因此结果不只反映{{settings}}的影响。重复运行和参数扫描会保持同一种方式。',
  same: '所有设置都相同。',
  moreScalars_other: '另有 {{count}} 个标量，见上方图表。',
  groups: '运行的分组方式',
  noGroups: '每个运行单独显示',
  bySeed: '设置相同，种子不同',
  groupBy: '按{{setting}}分组',
  group_other: '{{name}} · {{count}} 个运行',
  allSeeds: '全部种子',
  spread: '{{mean}} ± {{deviation}}',
  spreadHint: '各运行的平均值 ± 标准差；图表中为平均曲线及最低到最高的范围。',
};
