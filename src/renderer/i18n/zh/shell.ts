import type { shell as english } from '../en/shell.ts';
import type { Words } from '../words.ts';

export const shell: Words<typeof english> = {
  loading: '正在打开实验室…',
};
