/** In a browser: a desktop notification when a run ends or a node is lost while the page is out of sight. */
import { useEffect } from 'react';
import { runNotice } from '../../shared/run-notice.ts';
import { showRun, useLanguage, useRunStore, useSettingsStore, useWindowStore } from '../state/index.ts';

const mayTell = (): boolean =>
  document.hidden &&
  useSettingsStore.getState().notifications &&
  // The desktop's own host tells by itself.
  useWindowStore.getState().info?.host === 'web' &&
  'Notification' in window &&
  Notification.permission === 'granted';

export function useEndNotices(): void {
  const language = useLanguage();
  useEffect(
    () =>
      useRunStore.subscribe((now, before) => {
        if (now.summaries === before.summaries || !mayTell()) return;
        for (const run of Object.values(now.summaries)) {
          const old = before.summaries[run.id];
          if (old === undefined || old.state === run.state) continue;
          const body = runNotice({ ...now.records[run.id], state: run.state }, language);
          if (body === undefined) continue;
          const notice = new Notification(`Ringlab: ${run.name}`, { body });
          notice.onclick = () => {
            window.focus();
            showRun(run.labId, run.id);
          };
        }
      }),
    [language],
  );
}
