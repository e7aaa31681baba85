/** Desktop notifications when a run ends, loses a node or restarts by itself, in the user's language, unless they are switched off. */
import type { Settings } from '../../shared/contract/api.ts';
import type { Language } from '../../shared/base/language.ts';
import { firstHeld, noticedOf, runNotice, type Noticed } from '../../shared/run/run-notice.ts';
import { isEnded, type RunRecord } from '../../shared/run/run.ts';
import type { EventLog } from '../base/events.ts';
import type { Platform } from '../base/platform.ts';
import { systemLanguage } from '../base/system-language.ts';

/** `system`: this computer's language. */
export const languageOf = (chosen: Settings['language']): Language =>
  chosen === 'system' ? systemLanguage() : chosen;

/** Returns a function that takes the runs of an earlier process: the first change of one may be what is to be notified of. */
export function notifyEnds(
  events: Pick<EventLog, 'subscribe'>,
  platform: Pick<Platform, 'notify'>,
  settings: () => Promise<Settings>,
): (earlier: readonly RunRecord[]) => void {
  const last = new Map<string, Noticed>();
  const isFirstHeld = firstHeld();
  events.subscribe((event) => {
    if (event.name !== 'run.changed') return;
    const { run } = event.data;
    const { id, name, state } = run;
    const before = last.get(id);
    last.set(id, noticedOf(run));
    if (isEnded(state)) last.delete(id);
    // A run's settings are read only where there may be something to say.
    if (before === undefined || runNotice(run, before, 'en') === undefined) return;
    if (run.heldBy !== undefined && !isFirstHeld(run)) return;
    settings()
      .then(({ notifications, language }) => {
        const body = runNotice(run, before, languageOf(language));
        if (notifications && body !== undefined) platform.notify({ title: `Ringlab: ${name}`, body });
      })
      // The store closes with the app: later events are not reported.
      .catch(() => undefined);
  });
  return (earlier) => {
    for (const run of earlier) if (!isEnded(run.state) && !last.has(run.id)) last.set(run.id, noticedOf(run));
  };
}
