/** The exact code that a run of an own script had: its files, what differed from the commit, and from another run. */
import { Modal, SegmentedControl, Select } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toWireError, type WireError } from '../../../shared/base/errors.ts';
import type { RequestResult, RunSummary } from '../../../shared/contract/api.ts';
import { loadPart, useApi } from '../../api/index.ts';
import { sortRuns, useLanguage, useRunStore } from '../../state/index.ts';
import { ErrorNote, formatBytes, useFocusBack } from '../../ui/index.ts';
import classes from './CodeDialog.module.css';

type View = 'files' | 'commit' | 'run';
type Found = RequestResult<'run.codeFiles'>;
/** What is shown below the bar. */
interface Shown {
  readonly text: string;
  readonly isDiff: boolean;
  readonly truncated: boolean;
}

export function CodeDialog({ run, onClose }: { run: RunSummary; onClose: () => void }) {
  const { t } = useTranslation();
  useFocusBack();
  const language = useLanguage();
  const api = useApi();
  const [found, setFound] = useState<Found>();
  const [view, setView] = useState<View>('files');
  const [file, setFile] = useState<string>();
  const [before, setBefore] = useState<string>();
  const [shown, setShown] = useState<Shown>();
  const [error, setError] = useState<WireError>();
  const summaries = useRunStore((state) => state.summaries);
  const others = useMemo(
    () => sortRuns(Object.values(summaries).filter(({ id, code }) => id !== run.id && code !== undefined)),
    [summaries, run.id],
  );
  useEffect(() => {
    const stop = new AbortController();
    api.call('run.codeFiles', { runId: run.id }, stop.signal).then(
      (answer) => {
        setFound(answer);
        const own = run.experiment.script?.file;
        setFile((answer.files.find(({ path }) => path === own) ?? answer.files[0])?.path);
      },
      (caught: unknown) => {
        if (!stop.signal.aborted) setError(toWireError(caught));
      },
    );
    return () => stop.abort();
  }, [api, run.id, run.experiment.script?.file]);
  // The last run before this one, which it most likely was changed from.
  const compared = before ?? others.find(({ createdAt }) => createdAt < run.createdAt)?.id ?? others[0]?.id;
  useEffect(() => {
    setShown(undefined);
    setError(undefined);
    const stop = new AbortController();
    const ask = async (): Promise<Shown | undefined> => {
      if (view === 'files') {
        if (file === undefined) return undefined;
        const { text } = await api.call('run.codeText', { runId: run.id, file }, stop.signal);
        return { text, isDiff: false, truncated: false };
      }
      if (view === 'run' && compared === undefined) return undefined;
      const diff = await api.call(
        'run.codeDiff',
        { runId: run.id, ...(view === 'run' && compared !== undefined ? { before: compared } : {}) },
        stop.signal,
      );
      return { ...diff, isDiff: true };
    };
    ask().then(
      (next) => {
        if (!stop.signal.aborted) setShown(next);
      },
      (caught: unknown) => {
        if (!stop.signal.aborted) setError(toWireError(caught));
      },
    );
    return () => stop.abort();
  }, [api, run.id, view, file, compared]);
  const commit = found?.code.commit;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('code.title', { name: run.name })}
      size="min(1080px, 92vw)"
      zIndex={330}
    >
      <div className={classes.bar}>
        <SegmentedControl
          aria-label={t('code.views')}
          value={view}
          onChange={setView}
          data={[
            { value: 'files', label: t('code.files') },
            { value: 'commit', label: t('code.sinceCommit'), disabled: found?.hasDiff !== true },
            { value: 'run', label: t('code.sinceRun'), disabled: others.length === 0 },
          ]}
        />
        {view === 'files' && found !== undefined && (
          <Select
            w={420}
            searchable
            limit={500}
            aria-label={t('code.file')}
            comboboxProps={{ zIndex: 400 }}
            value={file ?? null}
            onChange={(next) => setFile(next ?? undefined)}
            data={found.files.map(({ path, bytes }) => ({
              value: path,
              label: `${path} · ${formatBytes(bytes, language)}`,
            }))}
          />
        )}
        {view === 'run' && (
          <Select
            w={420}
            searchable
            aria-label={t('code.before')}
            comboboxProps={{ zIndex: 400 }}
            value={compared ?? null}
            onChange={(next) => setBefore(next ?? undefined)}
            data={others.map(({ id, name }) => ({ value: id, label: `${name} · ${id}` }))}
          />
        )}
        <span role="status" className={classes.state}>
          {found !== undefined &&
            t('code.about', {
              count: found.files.length,
              bytes: formatBytes(found.code.bytes, language),
              origin: commit === undefined ? found.code.hash : commit.slice(0, 12),
            })}
          {shown?.truncated === true && ` ${t('code.truncated')}`}
          {shown?.text === '' && shown.isDiff && ` ${t('code.same')}`}
        </span>
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      <CodeText shown={shown} file={file ?? ''} label={t(`code.${view}`)} />
    </Modal>
  );
}

/** CodeMirror, loaded when it is first needed. */
function CodeText({ shown, file, label }: { shown: Shown | undefined; file: string; label: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (shown === undefined) return undefined;
    let close: (() => void) | undefined;
    let wanted = true;
    const show = async (): Promise<void> => {
      const { createCodeView } = await loadPart(() => import('../../ui/editor/script-view.ts'));
      const parent = place.current;
      if (!wanted || parent === null) return;
      const view = createCodeView({ parent, text: shown.text, file, label, isDiff: shown.isDiff });
      close = () => view.close();
    };
    void show();
    return () => {
      wanted = false;
      close?.();
    };
  }, [shown, file, label]);
  return <div ref={place} className={classes.text} aria-busy={shown === undefined} />;
}
