/** Texts of a run's checkpoints, in Chinese. */
import type { checkpoints as english } from '../en/checkpoints.ts';
import type { Words } from '../../../shared/i18n/words.ts';

export const checkpoints: Words<typeof english> = {
  none: '第一轮结束后会写出第一个检查点。',
  epoch: '完成轮数',
  top1: '验证 Top-1',
  written: '写出时间',
  size: '大小',
  stall: '训练暂停',
  files: '文件',
  best: '目前最佳',
  on: '位于 {{node}}',
  overwritten: '已被后来的检查点覆盖',
  export: '导出',
  exportFile: '导出 {{file}}',
  verify: '校验',
  verifyFile: '校验 {{file}}',
  resume: '从这里继续',
  resumeFile: '从 {{file}} 继续',
  whole: '{{file}} 完整无损。',
  found:
    '{{architecture}}，{{tensors}} 个张量共 {{parameters}} 个参数；其中 {{entries}} 个文件的校验和全部正确。',
  test: {
    title: '测试一张图像',
    hint: '把图像拖到这里，或选择一张：由该运行的一个节点对它分类。',
    with: '检查点',
    choose: '选择图像',
    samples: '使用数据集中的图像',
    sample: '{{name}}，类别 {{class}}',
    noSamples: '该运行的数据不是按类别存放的图像文件夹。',
    truth: '数据集中的类别为 {{class}}。',
    computing: '节点正在计算……',
    likeliest: '最可能的类别',
    class: '类别 {{index}}',
    computed: '{{file}}（完成 {{epoch}} 轮），在 {{node}} 上以 {{size}} × {{size}} 像素计算，用时 {{time}}',
  },
  goOn: {
    title: '从第 {{epoch}} 轮继续',
    text: '在相同节点上从“{{name}}”的 {{file}} 开始一个新运行，原运行保持不变。每个 rank 带着与该检查点一同保存的状态继续；若有 rank 缺少这些状态，则全部重新开始，并在日志中说明。',
    epochs: '总轮数',
    more: '须多于已完成的 {{epoch}} 轮。',
    rate: '须大于 0 且不超过 1000。',
    start: '开始',
  },
};
