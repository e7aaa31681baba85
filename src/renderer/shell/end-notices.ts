/** In a browser: a desktop notification when a run ends, loses a node or restarts by itself while the page is hidden. */
import { useEffect } from 'react';
import { firstHeld, noticedOf, runNotice } from '../../shared/run/run-notice.ts';
import { mayNotifyOnDesktop, notifyOnDesktop, useLanguage, useRunStore } from '../state/index.ts';

export function useEndNotices(): void {
  const language = useLanguage();
  useEffect(() => {
    const isFirstHeld = firstHeld();
    return useRunStore.subscribe((now, before) => {
      if (now.summaries === before.summaries || !mayNotifyOnDesktop()) return;
      for (const run of Object.values(now.summaries)) {
        const old = before.summaries[run.id];
        if (old === undefined) continue;
        const record = now.records[run.id];
        // What is not known of the run before is taken as unchanged.
        const noticed = noticedOf({
          ...(before.records[run.id] ?? record),
          state: old.state,
          heldBy: old.heldBy,
        });
        const body = runNotice({ ...record, state: run.state, heldBy: run.heldBy }, noticed, language);
        if (body === undefined || (run.heldBy !== undefined && !isFirstHeld(run))) continue;
        notifyOnDesktop(run, body);
      }
    });
  }, [language]);
}
