/** Shown for a lab without runs: how to start the first one, or several at once. */
import { Button } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SweepDialog } from '../dialogs/index.ts';
import classes from './NoRunYet.module.css';

export function NoRunYet({ labId }: { labId: string }) {
  const { t } = useTranslation();
  const [sweeping, setSweeping] = useState(false);
  return (
    <div className={classes.nothing}>
      <IconChartLine size={34} stroke={1.3} aria-hidden />
      <h2>{t('runs.empty.title')}</h2>
      <p>{t('runs.empty.text')}</p>
      <Button variant="subtle" size="compact-sm" onClick={() => setSweeping(true)}>
        {t('runs.empty.sweep')}
      </Button>
      {sweeping && <SweepDialog from={{ labId }} onClose={() => setSweeping(false)} />}
    </div>
  );
}
