/** The run's name, its state, and its actions. */
import { ActionIcon, Tooltip } from '@mantine/core';
import {
  IconArrowsMaximize,
  IconArrowLeft,
  IconArrowsMinimize,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconTable,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { shownState, type RunRecord } from '../../../shared/run/run.ts';
import { runLook } from '../../theme/index.ts';
import { showRunDialog, type RunsViewName } from '../../state/index.ts';
import { RunName, StateLabel } from '../../ui/index.ts';
import { RunActions } from './RunActions.tsx';
import classes from './RunTitle.module.css';

export interface RunTitleProps {
  readonly run: RunRecord | undefined;
  readonly view: RunsViewName;
  readonly onView: (view: RunsViewName) => void;
  readonly listed: boolean;
  readonly onList: () => void;
  readonly full: boolean;
  readonly onFull: () => void;
}

export function RunTitle({ run, view, onView, listed, onList, full, onFull }: RunTitleProps) {
  const { t } = useTranslation();
  const list = listed ? t('runs.list.hide') : t('runs.list.show');
  const back = t(view === 'compare' ? 'compare.back' : 'runTable.back');
  const fill = full ? t('runs.notFull') : t('runs.full');
  const look = run === undefined ? undefined : runLook[run.state];
  return (
    <header className={classes.title}>
      {view === 'run' ? (
        <>
          <Tooltip label={list}>
            <ActionIcon aria-label={list} aria-expanded={listed} onClick={onList}>
              {listed ? (
                <IconLayoutSidebarLeftCollapse size={16} />
              ) : (
                <IconLayoutSidebarLeftExpand size={16} />
              )}
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('runTable.open')}>
            <ActionIcon aria-label={t('runTable.open')} onClick={() => onView('table')}>
              <IconTable size={16} />
            </ActionIcon>
          </Tooltip>
        </>
      ) : (
        <>
          <Tooltip label={back}>
            <ActionIcon aria-label={back} onClick={() => onView(view === 'compare' ? 'table' : 'run')}>
              <IconArrowLeft size={16} />
            </ActionIcon>
          </Tooltip>
          <h2 className={classes.name}>{t(view === 'compare' ? 'compare.title' : 'runTable.title')}</h2>
        </>
      )}
      {view === 'run' && run !== undefined && look !== undefined && (
        <>
          <h2 className={classes.name} onDoubleClick={() => showRunDialog({ kind: 'edit', runId: run.id })}>
            <RunName name={run.name} title={run.notes === '' ? run.name : `${run.name}\n${run.notes}`} />
          </h2>
          <StateLabel look={look} size={15} data-run-state={run.state}>
            {t(`runStates.${shownState(run)}`)}
          </StateLabel>
          <RunActions run={run} />
        </>
      )}
      <Tooltip label={fill}>
        <ActionIcon
          className={view !== 'run' || run === undefined ? (classes.pushed ?? '') : ''}
          aria-label={fill}
          aria-pressed={full}
          onClick={onFull}
        >
          {full ? <IconArrowsMinimize size={15} /> : <IconArrowsMaximize size={15} />}
        </ActionIcon>
      </Tooltip>
    </header>
  );
}
