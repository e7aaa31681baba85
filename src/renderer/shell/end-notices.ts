/** In a browser: a desktop notification when a run ends or a node is lost while the page is hidden. */
import { useEffect } from 'react';
import { runNotice } from '../../shared/run/run-notice.ts';
import { mayNotifyOnDesktop, notifyOnDesktop, useLanguage, useRunStore } from '../state/index.ts';

export function useEndNotices(): void {
  const language = useLanguage();
  useEffect(
    () =>
      useRunStore.subscribe((now, before) => {
        if (now.summaries === before.summaries || !mayNotifyOnDesktop()) return;
        for (const run of Object.values(now.summaries)) {
          const old = before.summaries[run.id];
          if (old === undefined || old.state === run.state) continue;
          const body = runNotice({ ...now.records[run.id], state: run.state }, language);
          if (body !== undefined) notifyOnDesktop(run, body);
        }
      }),
    [language],
  );
}
