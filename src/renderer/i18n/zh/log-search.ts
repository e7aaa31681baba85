/** Texts of the search in all ranks' logs, in Chinese. */
import type { logSearch as english } from '../en/log-search.ts';
import type { Words } from '../../../shared/i18n/words.ts';

export const logSearch: Words<typeof english> = {
  all: '所有 rank',
  search: '在所有 rank 的日志中搜索',
  title: '所有 rank 的日志行，按时间排列',
  found_other: '{{count}} 行',
  foundNewest: '{{count}} 行，显示最新的 {{shown}} 行',
  beyond_other: '每个日志只搜索前 {{bytes}}：rank {{ranks}} 的日志更长',
  time: '该行所报告或所跟随的训练步的时间（自开始起）',
  open: '打开 rank {{rank}} 的日志（第 {{number}} 行）',
};
