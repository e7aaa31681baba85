/**
 * Chromium's sandbox keeps a page that was taken over from the rest of the computer. It refuses root, and some launchers
 * leave it out in silence where the kernel lets nobody make user namespaces (the AppImage's does).
 */
import type { Language } from '../../../shared/base/language.ts';

/** Says that a user knows, and wants the window all the same. */
const allowed = 'RINGLAB_NO_SANDBOX';

export interface SandboxWord {
  /** Whether the app goes on. */
  readonly goesOn: boolean;
  readonly message: string;
  readonly hint: string;
}

/** Undefined where the sandbox is on. */
export function sandboxWord(
  args: readonly string[],
  userId: number | undefined,
  env: Readonly<Record<string, string | undefined>>,
  language: Language,
): SandboxWord | undefined {
  if (!args.some((arg) => /^--no-sandbox(?:=|$)/.test(arg))) return undefined;
  const chinese = language === 'zh-CN';
  if (userId === 0) {
    return {
      goesOn: true,
      message: chinese ? '以 root 身份运行：窗口没有沙盒。' : 'Run by root, the window has no sandbox.',
      hint: chinese ? '请以普通用户身份启动 Ringlab。' : 'Start Ringlab as an ordinary user.',
    };
  }
  return {
    goesOn: env[allowed] === '1',
    message: chinese
      ? 'Ringlab 的窗口不会在没有沙盒的情况下启动。'
      : 'Ringlab does not start its window without a sandbox.',
    hint: chinese
      ? `此系统不允许程序创建用户命名空间。请安装 .deb 软件包，使用 \`ringlab serve\` 在浏览器中打开，或设置 ${allowed}=1 以接受风险。`
      : `This system lets no program make user namespaces. Install the .deb package, or use \`ringlab serve\` and a browser; ${allowed}=1 accepts the risk.`,
  };
}
