/** Exports with a notification: progress (with a cancel button), then where the file is, or the error. */
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isCancelled } from '../../../shared/base/errors.ts';
import type { ExportedFile } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { formatBytes, downloadByLink } from '../../ui/index.ts';
import { asRinglabError, report, useLanguage } from '../../state/index.ts';
import { exportArtifact } from './deliver.ts';

/** A faster export shows no progress. */
const quietMs = 600;

export function useExport(runId: string): {
  readonly busy: ReadonlySet<ExportedFile>;
  take(artifact: ExportedFile): void;
} {
  const { t } = useTranslation();
  const api = useApi();
  const language = useLanguage();
  const [busy, setBusy] = useState<ReadonlySet<ExportedFile>>(new Set());

  const run = async (artifact: ExportedFile): Promise<void> => {
    const id = `export-${runId}-${artifact}`;
    const stop = new AbortController();
    const fetching = setTimeout(
      () =>
        notifications.show({
          id,
          loading: true,
          autoClose: false,
          withCloseButton: false,
          title: t('runs.action.exporting', { name: artifact }),
          message: (
            <Button variant="subtle" color="gray" size="compact-xs" onClick={() => stop.abort()}>
              {t('shell.cancel')}
            </Button>
          ),
        }),
      quietMs,
    );
    setBusy((now) => new Set(now).add(artifact));
    const done = (title: string, message: string): void => {
      notifications.hide(id);
      notifications.show({ title, message, color: 'petrol', autoClose: 8000 });
    };
    try {
      await exportArtifact(
        api,
        runId,
        artifact,
        {
          download: (delivery) => {
            downloadByLink(delivery);
            done(
              t('runs.action.downloading', { name: delivery.name }),
              t('runs.action.downloadingSize', { bytes: formatBytes(delivery.bytes, language) }),
            );
          },
          saved: (delivery) =>
            done(
              t('runs.action.saved', { name: delivery.name }),
              t('runs.action.savedTo', {
                bytes: formatBytes(delivery.bytes, language),
                path: delivery.savedTo,
              }),
            ),
        },
        stop.signal,
        language,
      );
    } catch (error) {
      notifications.hide(id);
      if (!isCancelled(error)) report(asRinglabError(error));
    } finally {
      clearTimeout(fetching);
      setBusy((now) => new Set([...now].filter((one) => one !== artifact)));
    }
  };
  return { busy, take: (artifact) => void run(artifact) };
}
