/**
 * Checks Chromium's sandbox, which isolates a compromised page. It refuses to run as root, and some launchers (the
 * AppImage's) silently disable it where the kernel does not allow user namespaces.
 */
import type { Language } from '../../../shared/base/language.ts';
import { say } from '../../i18n/index.ts';

/** Set by a user who accepts a window without sandbox. */
const allowed = 'RINGLAB_NO_SANDBOX';

export interface SandboxWord {
  /** Whether the app continues. */
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
