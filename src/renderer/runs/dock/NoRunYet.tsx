/** Shown for a lab without runs: how to start the first one, or several at once. */
import { Button } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { showRunDialog } from '../../state/index.ts';
import classes from './NoRunYet.module.css';

export function NoRunYet({ labId }: { labId: string }) {
  const { t } = useTranslation();
  return (
    <div className={classes.nothing}>
      <IconChartLine size={34} stroke={1.3} aria-hidden />
      <h2>{t('runs.empty.title')}</h2>
      <p>{t('runs.empty.text')}</p>
      <Button variant="subtle" size="compact-sm" onClick={() => showRunDialog({ kind: 'sweep', labId })}>
        {t('runs.empty.sweep')}
      </Button>
    </div>
  );
}
