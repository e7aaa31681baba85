/** Words of desktop notifications and of the desktop's host, in Chinese. */
import type { Words } from '../../../shared/i18n/words.ts';
import type {
  closing as englishClosing,
  sandbox as englishSandbox,
  values as englishValues,
  web as englishWeb,
} from '../en/desktop.ts';

export const values: Words<typeof englishValues> = {
  top1: '验证 Top-1',
  validationLoss: '验证损失',
  loss: '损失',
  temperature: 'GPU',
  scalar: '脚本的标量',
};

export const sandbox: Words<typeof englishSandbox> = {
  root: {
    message: '以 root 身份运行：窗口没有沙盒。',
    hint: '请以普通用户身份启动 Ringlab。',
  },
  none: {
    message: 'Ringlab 的窗口不会在没有沙盒的情况下启动。',
    hint: '此系统不允许程序创建用户命名空间。请安装 .deb 软件包，使用 `ringlab serve` 在浏览器中打开，或设置 {{variable}}=1 以接受风险。',
  },
};

export const closing: Words<typeof englishClosing> = {
  title: '运行仍在进行',
  keep: '继续运行',
  stop: '停止（保存检查点）',
  stay: '取消',
};

export const web: Words<typeof englishWeb> = {
  nothing: '此处没有内容。',
  usedDownload: '此下载已被使用或已过期：请重新导出。',
};
