/** An error shown where it happened: what happened, what to do, and the technical details. What the user declined is no alarm. */
import { useTranslation } from 'react-i18next';
import { describeError, detailLines } from '../../shared/i18n/error-texts.ts';
import { isDeclined, type WireError } from '../../shared/base/errors.ts';
import { useLanguage } from '../state/index.ts';
import classes from './ErrorNote.module.css';

export function ErrorNote({ error }: { error: WireError }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { message, hint } = describeError(error, language);
  const details = detailLines(error, language, 200);
  return (
    <div
      className={classes.errorNote}
      data-declined={isDeclined(error)}
      role={isDeclined(error) ? 'status' : 'alert'}
    >
      <p className={classes.error}>{message}</p>
      <p className={classes.errorHint}>{hint}</p>
      {details.length > 0 && (
        // Opened, since the text above refers to it.
        <details open>
          <summary>{t('shell.detail')}</summary>
          <pre className={classes.detail}>{details.join('\n')}</pre>
        </details>
      )}
    </div>
  );
}
