import type { charts as english } from '../en/charts.ts';
import type { Words } from '../words.ts';

export const charts: Words<typeof english> = {
  mean: '{{count}} 个 rank 的平均',
  band: '所有 rank 的范围',
  marks: '事件',
  mark: {
    checkpoint: '第 {{what}} 轮后的检查点',
    best: '第 {{what}} 轮后，目前最佳',
    resume: '训练从这里继续{{what}}',
    lost: '{{what}} 失去连接',
    back: '{{what}} 恢复连接',
    link: '链路 {{what}}',
    passed: '达到限值：{{what}}',
    warning: '警告：{{what}}',
    error: '错误：{{what}}',
  },
  moreMarks: '以及另外 {{count}} 个',
  pin: '标记的点',
  pinned: '标记：{{note}}',
  pinNote: '这里需要记住什么',
  unpin: '取消标记',
  keep: '保留',
  export: '导出{{chart}}',
  as: { png: '图片 (PNG)', svg: '矢量图 (SVG)', csv: '数据点 (CSV)' },
  pinCard: '将“{{chart}}”置顶',
  unpinCard: '取消“{{chart}}”置顶',
  look: '图表卡片的宽度与数值的顺序',
  width: '卡片宽度',
  size: { small: '小', medium: '中', large: '大' },
  values: '光标处的数值',
  order: { line: '按绘制顺序', value: '从大到小' },
};
