/** Texts of the lab document: kinds and states, in Chinese. */
import type { lab as english } from '../en/lab.ts';
import type { Words } from '../../../shared/i18n/words.ts';

export const lab: Words<typeof english> = {
  kind: { gpu: 'GPU 节点', cpu: 'CPU 节点', switch: '交换机' },
  nodeState: {
    idle: '未准备',
    connecting: '连接中',
    preparing: '准备中',
    ready: '就绪',
    starting: '启动中',
    running: '运行中',
    waiting: '等待中',
    unreachable: '无法连接',
    done: '已完成',
    stopped: '已停止',
    failed: '失败',
    lost: '失联',
  },
  rankState: {
    pending: '等待',
    starting: '启动中',
    running: '运行中',
    unreachable: '无法连接',
    done: '已完成',
    stopped: '已停止',
    failed: '失败',
    lost: '失联',
  },
};
