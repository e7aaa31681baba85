/** In a browser: a desktop notification when a run ends or a node is lost while the page is out of sight. */
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { isEnded } from '../../shared/run.ts';
import { showRun, useRunStore, useSettingsStore, useWindowStore } from '../state/index.ts';

const mayTell = (): boolean =>
  document.hidden &&
  useSettingsStore.getState().notifications &&
  // The desktop's own host tells by itself.
  useWindowStore.getState().info?.host === 'web' &&
  'Notification' in window &&
  Notification.permission === 'granted';

export function useEndNotices(): void {
  const { t } = useTranslation();
  useEffect(
    () =>
      useRunStore.subscribe((now, before) => {
        if (now.summaries === before.summaries || !mayTell()) return;
        for (const run of Object.values(now.summaries)) {
          const old = before.summaries[run.id];
          if (old === undefined || old.state === run.state) continue;
          if (!isEnded(run.state) && run.state !== 'waiting') continue;
          const notice = new Notification(`Ringlab: ${run.name}`, { body: t(`lab.runState.${run.state}`) });
          notice.onclick = () => {
            window.focus();
            showRun(run.labId, run.id);
          };
        }
      }),
    [t],
  );
}
