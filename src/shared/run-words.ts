/** Words that the window and a run's report share: what states of a run and its settings are called, in both languages. */
import type { Language } from './error-texts.ts';
import type { SettingName } from './run-settings.ts';
import type { RunState } from './run.ts';

const englishStates = {
  draft: 'Draft',
  queued: 'Queued',
  preparing: 'Preparing',
  starting: 'Starting',
  running: 'Running',
  waiting: 'Waiting',
  stopping: 'Stopping',
  stopped: 'Stopped',
  interrupted: 'Interrupted',
  finished: 'Finished',
  failed: 'Failed',
  lost: 'Lost',
} as const satisfies Record<RunState, string>;
const chineseStates = {
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
} as const satisfies Record<RunState, string>;
export const stateWords = { en: englishStates, 'zh-CN': chineseStates } as const satisfies Record<
  Language,
  Record<RunState, string>
>;

const englishSettings = {
  architecture: 'Architecture',
  data: 'Data',
  imageSize: 'Image size',
  nodes: 'Nodes',
  worldSize: 'Ranks',
  sync: 'Synchronisation',
  batchSize: 'Batch size',
  learningRate: 'Learning rate',
  epochs: 'Epochs',
  momentum: 'Momentum',
  weightDecay: 'Weight decay',
  stepSize: 'Step size',
  gamma: 'Gamma',
  seed: 'Seed',
  workers: 'Workers',
  backend: 'Backend',
  processesPerNode: 'Processes per node',
  parallel: 'Training in parallel',
  optimizer: 'Optimiser',
  scheduler: 'Schedule of the rate',
  warmupEpochs: 'Warm-up',
  labelSmoothing: 'Label smoothing',
  accumulate: 'Parts of a batch',
  amp: 'Mixed precision',
  channelsLast: 'Channels last',
  syncBatchNorm: 'Batch norm over all ranks',
  inputChannels: 'Colours',
  freeze: 'Frozen parameters',
  pretrained: 'Weights to start from',
} as const satisfies Record<SettingName, string>;
const chineseSettings = {
  architecture: '网络结构',
  data: '数据',
  imageSize: '图像尺寸',
  nodes: '节点',
  worldSize: 'Rank 数',
  sync: '同步方式',
  batchSize: '批大小',
  learningRate: '学习率',
  epochs: '轮数',
  momentum: '动量',
  weightDecay: '权重衰减',
  stepSize: '衰减间隔',
  gamma: '衰减系数',
  seed: '随机种子',
  workers: '加载线程',
  backend: '通信后端',
  processesPerNode: '每节点进程数',
  parallel: '并行训练方式',
  optimizer: '优化器',
  scheduler: '学习率调度',
  warmupEpochs: '预热',
  labelSmoothing: '标签平滑',
  accumulate: '批次分块数',
  amp: '混合精度',
  channelsLast: 'Channels last',
  syncBatchNorm: '跨 rank 批归一化',
  inputChannels: '颜色',
  freeze: '冻结的参数',
  pretrained: '初始权重',
} as const satisfies Record<SettingName, string>;
export const settingWords = { en: englishSettings, 'zh-CN': chineseSettings } as const satisfies Record<
  Language,
  Record<SettingName, string>
>;
