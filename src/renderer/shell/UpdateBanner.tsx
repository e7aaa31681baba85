/** Shows that the program was updated under this window, which works with the version before. */
import { IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useWindowStore } from '../state/index.ts';
import classes from './ConnectionBanner.module.css';

export function UpdateBanner() {
  const { t } = useTranslation();
  const replaced = useWindowStore(({ info }) => info?.replaced === true);
  if (!replaced) return null;
  return (
    <div className={classes.banner} role="status">
      <IconRefresh size={16} aria-hidden />
      <span>{t('shell.wire.replaced')}</span>
    </div>
  );
}
