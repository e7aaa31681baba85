/** Texts of what a script wrote: files, progress, problems, in Chinese. */
import type { outputs as english } from '../en/outputs.ts';
import type { Words } from '../../../shared/i18n/words.ts';

export const outputs: Words<typeof english> = {
  title: '脚本的文件',
  none: '脚本写入其工作文件夹的检查点（pt、pth、tar、safetensors、ckpt）会显示在这里。',
  file: '文件',
  rank: '发现者',
  fetch: '获取',
  age: '{{time}}前',
  by: '按哪个标量选最佳？',
  bestIs: '最佳为',
  lowest: '最低',
  highest: '最高',
  best: '最佳',
  hint: '文件按脚本写出的原样提供：请用 torch.load(…, weights_only=True) 打开检查点。',
  problems_other: '无法读取脚本的 {{count}} 个文件：',
  problem: 'Rank {{rank}}：{{file}}：{{reason}}',
  epochOf: '第 {{done}} / {{total}} 轮',
  epoch: '第 {{done}} 轮',
  stepOf: '第 {{step}} / {{total}} 步',
  step: '第 {{step}} 步',
  unknown: '进度未知',
  value: '{{name}} {{value}}',
  waits: {
    title: '互相等待的 rank',
    atTheEnd: '运行结束时：',
    picture: '各 rank 已进入哪些集合通信',
    rank: 'Rank',
    where: '该 rank 所在位置',
    begun: '已进入',
    waits: '正在其中等待',
    missed: '未进入',
    more_other: '另有 {{count}} 个 rank 在等待。',
  },
};
