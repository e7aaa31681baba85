/**
 * Chromium's sandbox keeps a page that was taken over from the rest of the computer. It refuses root, and some launchers
 * leave it out in silence where the kernel lets nobody make user namespaces (the AppImage's does).
 */
import type { Language } from '../../../shared/base/language.ts';
import { say } from '../../i18n/index.ts';

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
  if (userId === 0) {
    return {
      goesOn: true,
      message: say(language, 'sandbox.root.message'),
      hint: say(language, 'sandbox.root.hint'),
    };
  }
  return {
    goesOn: env[allowed] === '1',
    message: say(language, 'sandbox.none.message'),
    hint: say(language, 'sandbox.none.hint', { variable: allowed }),
  };
}
