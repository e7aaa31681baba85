/** Texts of the code that a run had, in Chinese. */
import type { code as english } from '../en/code.ts';
import type { Words } from '../../../shared/i18n/words.ts';

export const code: Words<typeof english> = {
  title: '“{{name}}”的代码',
  views: '显示内容',
  files: '文件',
  commit: '相对于提交的更改',
  run: '相对于另一次运行的更改',
  sinceCommit: '相对于提交',
  sinceRun: '相对于另一次运行',
  file: '文件',
  before: '较早的运行',
  about_other: '{{count}} 个文件，{{bytes}}，{{origin}}',
  same: '没有差异。',
  truncated: '内容过长，末尾未显示。',
};
