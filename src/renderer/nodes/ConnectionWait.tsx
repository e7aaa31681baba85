/** Shows that a server refuses logins at the moment, and when the next attempt follows (faults 14 and 15). */
import { describeError } from '../../shared/i18n/error-texts.ts';
import { useConnection, useLabId, useLanguage, useNow } from '../state/index.ts';
import classes from '../ui/ErrorNote.module.css';

export function ConnectionWait({ nodeId }: { nodeId: string }) {
  const connection = useConnection(useLabId(), nodeId);
  const language = useLanguage();
  const { retryAt, error } = connection?.state === 'connecting' ? connection : {};
  const now = useNow(retryAt !== undefined);
  if (retryAt === undefined || error === undefined) return null;
  const seconds = Math.max(0, Math.ceil(retryAt - now));
  const { message, hint } = describeError({ ...error, params: { ...error.params, seconds } }, language);
  return (
    // Screen readers read a timer on request, not at every second.
    <p className={classes.errorHint} role="timer" title={hint}>
      {message}
    </p>
  );
}
