/** Shows whether the lab is saved, and what to do if it is not. */
import { Button, Popover } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCloudUp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/index.ts';
import { ErrorNote } from '../ui/index.ts';
import { saveNow, useLabStore } from '../state/index.ts';
import classes from './Header.module.css';

const icons = {
  saved: IconCheck,
  unsaved: IconCloudUp,
  saving: IconCloudUp,
  failed: IconAlertTriangle,
} as const;

export function SaveIndicator() {
  const { t } = useTranslation();
  const api = useApi();
  const save = useLabStore((state) => state.save);
  const state = save.state === 'conflict' ? 'failed' : save.state;
  const Icon = icons[state];
  if (save.state !== 'failed') {
    return (
      <span className={classes.save} data-state={state} role="status">
        <Icon size={14} aria-hidden />
        {t(`shell.save.${state}`)}
      </span>
    );
  }
  return (
    <Popover width={340}>
      <Popover.Target>
        <Button variant="subtle" color="red" size="compact-xs" leftSection={<Icon size={14} />}>
          {t(`shell.save.${state}`)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <ErrorNote error={save.error} />
        <p>{t('shell.save.kept')}</p>
        <Button onClick={() => void saveNow(api).catch(() => undefined)}>{t('shell.save.retry')}</Button>
      </Popover.Dropdown>
    </Popover>
  );
}
