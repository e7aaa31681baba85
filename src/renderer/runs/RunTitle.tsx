/** What run this is, how it is, and what can be done with it. */
import { ActionIcon, Tooltip } from '@mantine/core';
import {
  IconArrowsMaximize,
  IconArrowsMinimize,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { RunRecord } from '../../shared/run.ts';
import { runLook, StateIcon } from '../theme/index.ts';
import { RunActions } from './RunActions.tsx';
import classes from './runs.module.css';

export interface RunTitleProps {
  readonly run: RunRecord | undefined;
  readonly listed: boolean;
  readonly onList: () => void;
  readonly full: boolean;
  readonly onFull: () => void;
}

export function RunTitle({ run, listed, onList, full, onFull }: RunTitleProps) {
  const { t } = useTranslation();
  const list = listed ? t('runs.list.hide') : t('runs.list.show');
  const fill = full ? t('runs.notFull') : t('runs.full');
  const look = run === undefined ? undefined : runLook[run.state];
  return (
    <header className={classes.title}>
      <Tooltip label={list}>
        <ActionIcon aria-label={list} aria-expanded={listed} onClick={onList}>
          {listed ? <IconLayoutSidebarLeftCollapse size={16} /> : <IconLayoutSidebarLeftExpand size={16} />}
        </ActionIcon>
      </Tooltip>
      {run !== undefined && look !== undefined && (
        <>
          <h2 className={classes.name} title={run.notes === '' ? run.name : `${run.name}\n${run.notes}`}>
            {run.name}
          </h2>
          <span className={classes.state} style={{ color: look.colour }} data-run-state={run.state}>
            <StateIcon look={look} size={15} />
            {t(`lab.runState.${run.state}`)}
          </span>
          <RunActions run={run} />
        </>
      )}
      <Tooltip label={fill}>
        <ActionIcon
          className={run === undefined ? (classes.pushed ?? '') : ''}
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
