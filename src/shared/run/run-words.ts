/** Words that the window and a run's report share: what states of a run and its settings are called, in both languages. */
import type { Language } from '../base/language.ts';
import type { SettingName } from './run-settings.ts';
import type { RunState } from './run.ts';
import { settingLabels } from '../settings/index.ts';

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

const englishFacts = {
  data: 'Data',
  imageSize: 'Image size',
  nodes: 'Nodes',
  worldSize: 'Ranks',
} as const;
const chineseFacts = {
  data: '数据',
  imageSize: '图像尺寸',
  nodes: '节点',
  worldSize: 'Rank 数',
} as const satisfies Record<keyof typeof englishFacts, string>;
/** What the training settings are called, and what else runs are compared by. */
export const settingWords = {
  en: { ...settingLabels('en'), ...englishFacts },
  'zh-CN': { ...settingLabels('zh-CN'), ...chineseFacts },
} as const satisfies Record<Language, Record<SettingName, string>>;
