/** A queued run that is held: since which run, and what releases it or the whole queue. */
import { Button } from '@mantine/core';
import { IconHourglass } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useShallow } from 'zustand/react/shallow';
import { heldText } from '../../../shared/run/held-text.ts';
import { shownState, type RunRecord } from '../../../shared/run/run.ts';
import { resume, useCommandContext } from '../../commands/index.ts';
import { useLanguage, useRunStore } from '../../state/index.ts';
import classes from './RunTrouble.module.css';

export function HeldRun({ run }: { run: RunRecord }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const context = useCommandContext();
  const holder = useRunStore(({ summaries }) => summaries[run.heldBy ?? '']);
  const held = useRunStore(
    useShallow(({ summaries }) =>
      Object.values(summaries)
        .filter((one) => one.labId === run.labId && shownState(one) === 'held')
        .sort((a, b) => a.createdAt - b.createdAt),
    ),
  );
  if (shownState(run) !== 'held') return null;
  const [first = run] = held;
  return (
    <p className={classes.job} data-held={run.heldBy}>
      <IconHourglass size={15} aria-hidden />
      <b role="status">{heldText(holder, language)}</b>
      <Button variant="default" size="compact-xs" onClick={() => void resume(run, context, true)}>
        {t('runTable.held.only')}
      </Button>
      {held.length > 1 && (
        <Button variant="light" size="compact-xs" onClick={() => void resume(first, context)}>
          {t('runTable.held.all')}
        </Button>
      )}
    </p>
  );
}
