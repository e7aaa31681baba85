/** Errors that no part of the window shows where they belong: as notifications, with what to do. */
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { describeError } from '../../shared/error-texts.ts';
import { toWireError } from '../../shared/errors.ts';
import { dismissProblem, useLanguage, useWindowStore } from '../state/index.ts';

export function Problems() {
  const language = useLanguage();
  const problems = useWindowStore((state) => state.problems);
  useEffect(() => {
    for (const { id, error } of problems) {
      const { message, hint } = describeError(toWireError(error), language);
      notifications.show({
        // The same error again replaces its notification rather than piling up.
        id: `problem-${error.code}-${message}`,
        color: 'red',
        title: message,
        message: hint,
        autoClose: 12_000,
        withBorder: true,
      });
      dismissProblem(id);
    }
  }, [problems, language]);
  return null;
}
