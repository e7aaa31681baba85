/** Shows that the connection to main is lost, and when the next attempt follows. */
import { Button } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/index.ts';
import { useWindowStore } from '../state/index.ts';
import classes from './ConnectionBanner.module.css';

export function ConnectionBanner() {
  const { t } = useTranslation();
  const api = useApi();
  const status = useWindowStore((state) => state.wire);
  const [now, setNow] = useState(() => Date.now());
  const waiting = status.state !== 'open';
  useEffect(() => {
    if (!waiting) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [waiting, status]);
  if (status.state === 'open' || (status.state === 'connecting' && !status.everOpen)) return null;
  const seconds = status.retryAt === undefined ? 0 : Math.max(0, Math.ceil((status.retryAt - now) / 1000));
  return (
    <div className={classes.banner} role="alert">
      <IconPlugConnectedX size={16} aria-hidden />
      <span>
        {status.state === 'connecting'
          ? t('shell.wire.connecting')
          : status.problem === undefined
            ? t(status.everOpen ? 'shell.wire.lost' : 'shell.wire.never')
            : t(`shell.wire.${status.problem}`)}
      </span>
      {status.state === 'lost' && (
        <>
          <span className={classes.next} aria-live="off">
            {t('shell.wire.retryIn', { seconds })}
          </span>
          <Button size="compact-xs" variant="default" onClick={() => api.retryNow()}>
            {t('shell.wire.retry')}
          </Button>
        </>
      )}
    </div>
  );
}
