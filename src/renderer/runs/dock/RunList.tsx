/** All runs of a lab, newest first, with state, duration, progress and best result. */
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { isEnded, shownState } from '../../../shared/run/run.ts';
import { tookOf } from '../../../shared/run/took.ts';
import {
  clearOnEscape,
  formatCount,
  formatDuration,
  formatMoment,
  formatPercent,
  RunName,
} from '../../ui/index.ts';
import { sortRuns, useLanguage, useRunStore } from '../../state/index.ts';
import { runLook, runPalette, StateIcon } from '../../theme/index.ts';
import classes from './RunList.module.css';
import { showRunDialog, useNow, useQuarter } from '../../state/index.ts';
import { useRunMenu } from '../actions/index.ts';

/** From this many runs on there is a filter field. */
const filterFrom = 7;

export interface RunListProps {
  readonly labId: string;
  readonly runId: string | undefined;
  readonly onSelectRun: (runId: string) => void;
}

export function RunList({ labId, runId, onSelectRun }: RunListProps) {
  const { t } = useTranslation();
  const summaries = useRunStore((state) => state.summaries);
  const runs = useMemo(
    () => sortRuns(Object.values(summaries).filter((run) => run.labId === labId)),
    [summaries, labId],
  );
  const now = useNow(runs.some((run) => !isEnded(run.state)));
  const today = useQuarter();
  const { events, menu } = useRunMenu(labId);
  const [filter, setFilter] = useState('');
  const term = filter.trim().toLowerCase();
  const shown = runs.filter(
    (run) =>
      term === '' ||
      run.name.toLowerCase().includes(term) ||
      run.notes.toLowerCase().includes(term) ||
      t(`runStates.${shownState(run)}`)
        .toLowerCase()
        .includes(term),
  );
  return (
    <nav className={classes.list} aria-label={t('runs.list.title')}>
      {runs.length >= filterFrom && (
        <TextInput
          className={classes.filter ?? ''}
          aria-label={t('runs.list.filter')}
          placeholder={t('runs.list.filter')}
          leftSection={<IconSearch size={13} />}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
          onKeyDown={clearOnEscape(filter, () => setFilter(''))}
        />
      )}
      {shown.length === 0 && (
        <p className={classes.none}>{runs.length === 0 ? t('runs.list.none') : t('runs.list.noMatch')}</p>
      )}
      {menu}
      <ul {...events}>
        {shown.map((run) => (
          <li key={run.id}>
            <Row
              run={run}
              current={run.id === runId}
              // Ended runs do not change: they are not rendered again each second.
              now={isEnded(run.state) ? 0 : now}
              today={today}
              onSelect={onSelectRun}
            />
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface RowProps {
  readonly run: RunSummary;
  readonly current: boolean;
  readonly now: number;
  /** Unix seconds, of `useQuarter`: decides whether a day is shown. */
  readonly today: number;
  readonly onSelect: (runId: string) => void;
}

const Row = memo(function Row({ run, current, now, today, onSelect }: RowProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const row = useRef<HTMLButtonElement>(null);
  // A run that was opened from the table or the palette may be far down.
  useEffect(() => {
    if (current) row.current?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const look = runLook[run.state];
  const { script } = run.experiment;
  const start = run.startedAt ?? run.createdAt;
  const took =
    tookOf(run, now) ?? (run.endedAt ?? (isEnded(run.state) ? run.createdAt : now)) - run.createdAt;
  return (
    <button
      ref={row}
      type="button"
      className={classes.run}
      aria-current={current ? 'true' : undefined}
      data-run={run.id}
      data-state={run.state}
      onClick={() => onSelect(run.id)}
      onDoubleClick={() => showRunDialog({ kind: 'edit', runId: run.id })}
    >
      <span className={classes.runHead}>
        <StateIcon look={look} size={14} />
        <span className={classes.runName}>
          <RunName name={run.name} />
        </span>
        {run.colour !== undefined && (
          <span className={classes.runDot} style={{ background: runPalette[run.colour] }} aria-hidden />
        )}
      </span>
      <span className={classes.runFacts}>
        <span style={{ color: look.colour }}>{t(`runStates.${shownState(run)}`)}</span>
        <span>{formatMoment(start, language, today)}</span>
        {took >= 1 && <span>{formatDuration(took, language)}</span>}
        {script === undefined ? (
          <span>{t('runs.list.epochs', { done: run.epochsCompleted, total: run.epochs })}</span>
        ) : (
          // The lab's epochs are not a script's.
          <span>{script.file}</span>
        )}
        {script !== undefined && run.step > 0 && (
          <span>{t('runs.header.step', { step: formatCount(run.step, language) })}</span>
        )}
        {typeof run.bestTop1 === 'number' && (
          <span>{t('runs.list.best', { value: formatPercent(run.bestTop1, language) })}</span>
        )}
      </span>
    </button>
  );
});
