/** Desktop notifications when a run ends or a node is lost, in the user's language, unless they are switched off. */
import type { Settings } from '../../shared/contract/api.ts';
import type { Language } from '../../shared/base/language.ts';
import { runNotice } from '../../shared/run/run-notice.ts';
import { isEnded, type RunState } from '../../shared/run/run.ts';
import type { EventLog } from '../base/events.ts';
import type { Platform } from '../base/platform.ts';
import { systemLanguage } from '../base/system-language.ts';

/** `system`: this computer's language. */
export const languageOf = (chosen: Settings['language']): Language =>
  chosen === 'system' ? systemLanguage() : chosen;

export function notifyEnds(
  events: Pick<EventLog, 'subscribe'>,
  platform: Pick<Platform, 'notify'>,
  settings: () => Promise<Settings>,
): void {
  const last = new Map<string, RunState>();
  events.subscribe((event) => {
    if (event.name !== 'run.changed') return;
    const { run } = event.data;
    const { id, name, state } = run;
    const before = last.get(id);
    last.set(id, state);
    if (isEnded(state)) last.delete(id);
    if (before === undefined || before === state) return;
    settings()
      .then(({ notifications, language }) => {
        const body = runNotice(run, languageOf(language));
        if (notifications && body !== undefined) platform.notify({ title: `Ringlab: ${name}`, body });
      })
      // The store closes with the app: later events are not reported.
      .catch(() => undefined);
  });
}
