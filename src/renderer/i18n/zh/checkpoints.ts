import type { checkpoints as english } from '../en/checkpoints.ts';
import type { Words } from '../words.ts';

export const checkpoints: Words<typeof english> = {
  none: '第一轮结束后会写出第一个检查点。',
  epoch: '完成轮数',
  top1: '验证 Top-1',
  written: '写出时间',
  size: '大小',
  stall: '训练停顿',
  where: '位置',
  actions: '可以做什么',
  best: '目前最佳',
  on: '{{node}} 上的 {{files}}',
  overwritten: '已被后来的检查点覆盖',
  export: '导出',
  exportFile: '导出 {{file}}',
  verify: '校验',
  verifyFile: '校验 {{file}}',
  resume: '从这里继续',
  resumeFile: '从 {{file}} 继续',
  notAll: '各 rank 只保留最新检查点所属的状态：有多个 rank 时只能从最新的继续。',
  whole: '{{file}} 完好。',
  found:
    '{{architecture}}，{{tensors}} 个张量共 {{parameters}} 个参数；其中 {{entries}} 个文件的校验和全部正确。',
};
