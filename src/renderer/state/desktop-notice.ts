/** In a browser: a desktop notification of a run while the page is hidden; a click on it shows the run. */
import { useLabStore } from './lab.ts';
import { addressOf } from './runs/address.ts';
import { openRun } from './runs/runs-view.ts';
import { useSettingsStore } from './settings.ts';
import { useWindowStore } from './window.ts';

export const mayNotifyOnDesktop = (): boolean =>
  document.hidden &&
  useSettingsStore.getState().notifications &&
  // The desktop host notifies by itself.
  useWindowStore.getState().info?.host === 'web' &&
  'Notification' in window &&
  Notification.permission === 'granted';

/** Call only where `mayNotifyOnDesktop`. */
export function notifyOnDesktop(run: { id: string; labId: string; name: string }, body: string): void {
  // Each hidden page of the browser comes here: of equal tags the desktop shows one.
  const notice = new Notification(`Ringlab: ${run.name}`, { body, tag: `${run.id} ${body}` });
  notice.onclick = () => {
    window.focus();
    if (useLabStore.getState().lab?.id === run.labId) openRun(run.labId, run.id);
    // `followAddress` opens the lab, too.
    else window.location.hash = addressOf({ lab: run.labId, run: run.id, view: 'run' });
  };
}
