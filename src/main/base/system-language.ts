/** The language of this computer's own programs. */
import type { Language } from '../../shared/base/language.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const byIntl = (): string => Intl.DateTimeFormat().resolvedOptions().locale;

const firstSet = (...values: readonly (string | undefined)[]): string | undefined =>
  values.find((value) => value !== undefined && value !== '');

/** The variables that POSIX names, in its order: asking Intl takes 14 ms of a command's start. */
export function systemLanguage(
  env: Variables = process.env,
  platform: NodeJS.Platform = process.platform,
): Language {
  const asked = firstSet(env.LC_ALL, env.LC_MESSAGES, env.LANG);
  const locale = asked ?? (platform === 'linux' ? '' : byIntl());
  return locale.startsWith('zh') ? 'zh-CN' : 'en';
}

/** As `systemLanguage`, but English where the terminal's locale has another charset than UTF-8, which is what we write. */
export function terminalLanguage(
  env: Variables = process.env,
  platform: NodeJS.Platform = process.platform,
): Language {
  const charset = /\.([^@]+)/.exec(firstSet(env.LC_ALL, env.LC_CTYPE, env.LANG) ?? '')?.[1] ?? 'UTF-8';
  return /^utf-?8$/i.test(charset) ? systemLanguage(env, platform) : 'en';
}
