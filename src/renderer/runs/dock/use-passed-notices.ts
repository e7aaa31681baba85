/** Notifies the user in the window that a value has passed a limit; in a browser whose page is hidden, on the desktop. */
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunEvent, RunRecord } from '../../../shared/run/run.ts';
import { useLimitText } from '../../charts/index.ts';
import { mayNotifyOnDesktop, notifyOnDesktop, useRunStore } from '../../state/index.ts';

/** Limits passed since the last record; none for a record that is seen for the first time. */
function newlyPassed(before: RunRecord | undefined, now: RunRecord): RunEvent[] {
  if (before === undefined || before.events === now.events) return [];
  const old = new Set((before.events ?? []).map(({ t, what }) => `${t} ${what}`));
  return (now.events ?? []).filter(({ t, kind, what }) => kind === 'passed' && !old.has(`${t} ${what}`));
}

export function usePassedNotices(): void {
  const { t } = useTranslation();
  const formatLimit = useLimitText();
  useEffect(
    () =>
      useRunStore.subscribe((now, before) => {
        if (now.records === before.records) return;
        for (const run of Object.values(now.records)) {
          for (const { what, passed } of newlyPassed(before.records[run.id], run)) {
            const message = passed === undefined ? what : formatLimit(passed);
            notifications.show({
              color: 'petrol',
              title: t('watch.passed', { name: run.name }),
              message,
              autoClose: 15_000,
            });
            if (mayNotifyOnDesktop()) notifyOnDesktop(run, message);
          }
        }
      }),
    [t, formatLimit],
  );
}
