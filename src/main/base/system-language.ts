/** The language of this computer's own programs. */
import type { Language } from '../../shared/base/language.ts';

const byIntl = (): string => Intl.DateTimeFormat().resolvedOptions().locale;

/** The variables that POSIX names, in its order: asking Intl takes 14 ms of a command's start. */
export function systemLanguage(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): Language {
  const asked = [env.LC_ALL, env.LC_MESSAGES, env.LANG].find((name) => name !== undefined && name !== '');
  const locale = asked ?? (platform === 'linux' ? '' : byIntl());
  return locale.startsWith('zh') ? 'zh-CN' : 'en';
}
