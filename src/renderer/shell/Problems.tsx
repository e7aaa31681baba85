/** Notifications of errors that no other part of the window shows, with what to do. */
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { describeError, detailLines } from '../../shared/i18n/error-texts.ts';
import { toWireError } from '../../shared/base/errors.ts';
import { dismissProblem, useLanguage, useWindowStore } from '../state/index.ts';
import classes from './Problems.module.css';

export function Problems() {
  const language = useLanguage();
  const problems = useWindowStore((state) => state.problems);
  useEffect(() => {
    for (const { id, error } of problems) {
      const wire = toWireError(error);
      const { message, hint } = describeError(wire, language);
      const details = detailLines(wire, language, 6);
      notifications.show({
        // The same error again replaces its notification.
        id: `problem-${error.code}-${message}`,
        color: 'red',
        title: message,
        message:
          details.length === 0 ? (
            hint
          ) : (
            <>
              {hint}
              <pre className={classes.said}>{details.join('\n')}</pre>
            </>
          ),
        autoClose: 12_000,
        withBorder: true,
      });
      dismissProblem(id);
    }
  }, [problems, language]);
  return null;
}
