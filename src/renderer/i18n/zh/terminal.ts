/** Texts of the terminals, in Chinese. */
import type { terminal as english } from '../en/terminal.ts';
import type { Words } from '../../../shared/i18n/words.ts';

export const terminal: Words<typeof english> = {
  title: '终端',
  on: '{{name}} 的终端',
  another: '在 {{name}} 上再开一个终端',
  close: '关闭 {{name}} 的终端',
  reconnect: '重新连接',
  search: '在终端中搜索',
  next: '下一个匹配',
  previous: '上一个匹配',
  hint: '按 F6 离开终端',
  retryIn: '{{seconds}} 秒后重试；按回车立即重试',
  closedElsewhere: '已在另一个窗口中关闭；按回车重新启动',
  tryAgain: '按回车重试',
  ended: 'Shell 已结束，状态码 {{code}}；按回车重新启动',
  together: '同时输入到所有打开的终端',
  typedInto: '输入的内容会发送到：',
  typedAlone: '输入的内容只发送到 {{name}}：',
  maxAtOnce: '已打开 {{opened}} 个终端，而不是 {{count}} 个：关闭一些后再打开其余的。',
  state: { opening: '连接中', open: '已连接', lost: '连接已断开', ended: '已结束' },
};
