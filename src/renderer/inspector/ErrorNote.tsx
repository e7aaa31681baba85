/** An error where the person is looking: what happened, what to do, and what the machine said. */
import { useTranslation } from 'react-i18next';
import { describeError } from '../../shared/error-texts.ts';
import type { WireError } from '../../shared/errors.ts';
import { useLanguage } from '../state/index.ts';
import classes from './Inspector.module.css';

export function ErrorNote({ error }: { error: WireError }) {
  const { t } = useTranslation();
  const { message, hint } = describeError(error, useLanguage());
  return (
    <div className={classes.errorNote} role="alert">
      <p className={classes.error}>{message}</p>
      <p className={classes.errorHint}>{hint}</p>
      {error.detail !== undefined && error.detail !== '' && (
        <details>
          <summary>{t('shell.detail')}</summary>
          <pre className={classes.detail}>{error.detail}</pre>
        </details>
      )}
    </div>
  );
}
