/** Why a queued run is held, for the window and the command line. */
import type { Language } from '../base/language.ts';
import { say } from '../i18n/say.ts';
import type { RunState } from './run.ts';

/** @param holder the run after whose end it is held; undefined where it is no longer known */
export function heldText(
  holder: { readonly name: string; readonly state: RunState } | undefined,
  language: Language,
): string {
  if (holder === undefined) return say(language, 'held.unknown');
  const { name, state } = holder;
  return say(language, state === 'stopped' || state === 'failed' ? `held.${state}` : 'held.ended', { name });
}
