/** Exports a run's files with a notification: progress (with a cancel button), then where the file is, or the error. */
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { create } from 'zustand';
import { isCancelled } from '../../shared/base/errors.ts';
import type { ExportedFile } from '../../shared/run/run.ts';
import { useApi, type LabClient } from '../api/index.ts';
import {
  asRinglabError,
  dropFetch,
  remainingOf,
  report,
  resolveLanguage,
  useFetch,
  useLanguage,
  useSettingsStore,
} from '../state/index.ts';
import { downloadByLink, formatBytes, formatDuration } from '../ui/index.ts';
import { exportArtifact } from './deliver.ts';

/** A faster export shows no progress. */
const quietMs = 600;

interface Fetched {
  readonly runId: string;
  readonly artifact: ExportedFile;
}
/** What is being fetched: from the menus, the palette and the lists of checkpoints alike. */
const useFetched = create<{ readonly files: readonly Fetched[] }>(() => ({ files: [] }));

/** Fetches a file of a run once, even if it is asked for twice. */
export async function takeRunFile(
  { api, t }: { readonly api: LabClient; readonly t: TFunction },
  runId: string,
  artifact: ExportedFile,
): Promise<void> {
  const same = (one: Fetched): boolean => one.runId === runId && one.artifact === artifact;
  if (useFetched.getState().files.some(same)) return;
  useFetched.setState(({ files }) => ({ files: [...files, { runId, artifact }] }));
  const language = resolveLanguage(useSettingsStore.getState().language);
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
          <>
            <FetchLine runId={runId} artifact={artifact} />
            <Button variant="subtle" color="gray" size="compact-xs" onClick={() => stop.abort()}>
              {t('shell.cancel')}
            </Button>
          </>
        ),
      }),
    quietMs,
  );
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
    dropFetch(runId, artifact);
    useFetched.setState(({ files }) => ({ files: files.filter((one) => !same(one)) }));
  }
}

/** How much of the file is here, and how long the rest takes. */
function FetchLine({ runId, artifact }: Fetched) {
  const { t } = useTranslation();
  const language = useLanguage();
  const fetch = useFetch(runId, artifact);
  if (fetch === undefined) return null;
  const left = remainingOf(fetch);
  return (
    <span role="status">
      {t('runs.node.of', {
        used: formatBytes(fetch.done, language),
        total: formatBytes(fetch.total, language),
      })}
      {left !== undefined &&
        `, ${t('runs.wait.left', { time: formatDuration(Math.max(1, Math.round(left)), language) })}`}
    </span>
  );
}

/** The files of a run that are being fetched, and how to fetch one. */
export function useRunFiles(runId: string): {
  readonly busy: ReadonlySet<ExportedFile>;
  take(artifact: ExportedFile): void;
} {
  const { t } = useTranslation();
  const api = useApi();
  const files = useFetched((state) => state.files);
  return useMemo(
    () => ({
      busy: new Set(files.filter((one) => one.runId === runId).map(({ artifact }) => artifact)),
      take: (artifact) => void takeRunFile({ api, t }, runId, artifact),
    }),
    [api, t, files, runId],
  );
}
