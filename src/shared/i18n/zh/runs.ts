import type {
  runFacts as englishFacts,
  runNotices as englishNotices,
  runStates as englishStates,
} from '../en/runs.ts';
import type { Words } from '../words.ts';

export const runStates: Words<typeof englishStates> = {
  draft: '草稿',
  queued: '排队中',
  preparing: '准备中',
  starting: '启动中',
  running: '运行中',
  waiting: '等待中',
  stopping: '停止中',
  stopped: '已停止',
  interrupted: '已中断',
  finished: '已完成',
  failed: '失败',
  lost: '失联',
};

export const runNotices: Words<typeof englishNotices> = {
  finished: '运行已完成。',
  failed: '运行失败。打开它查看原因。',
  interrupted: '运行已中断，可以恢复。',
  lost: '运行已丢失：节点上已没有它的记录。',
  stopped: '运行已停止。',
  waiting: '有节点无法连接。运行仍在继续。',
  unreachable: '无法连接：{{nodes, joined}}。运行仍在继续。',
};

export const runFacts: Words<typeof englishFacts> = {
  data: '数据',
  imageSize: '图像尺寸',
  nodes: '节点',
  worldSize: 'Rank 数',
  script: '脚本',
  arguments: '参数',
  code: '代码',
  runtime: '运行环境',
};
