/** The root component: provides theme, language, dialogs, notifications and the client to the frame. */
import { MantineProvider, mergeThemeOverrides, Modal, Notification } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiProvider, type LabClient } from '../api/index.ts';
import { setLanguage } from '../i18n/index.ts';
import { useLanguage, useSettingsStore } from '../state/index.ts';
import { mantineTheme } from '../theme/index.ts';
import { followFocus } from '../ui/index.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { Frame } from './Frame.tsx';
import { Problems } from './Problems.tsx';
import classes from './App.module.css';

export function App({ client }: { client: LabClient }) {
  const language = useLanguage();
  const theme = useSettingsStore((state) => state.theme);
  useEffect(() => void setLanguage(language), [language]);
  useEffect(() => followFocus(document), []);
  const { t } = useTranslation();
  const close = t('shell.close');
  // The close buttons of dialogs and notifications have only an icon: each one gets a label here.
  const named = useMemo(
    () =>
      mergeThemeOverrides(mantineTheme, {
        components: {
          Modal: Modal.extend({ defaultProps: { closeButtonProps: { 'aria-label': close } } }),
          Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': close } } }),
        },
      }),
    [close],
  );
  return (
    <MantineProvider
      theme={named}
      defaultColorScheme="auto"
      {...(theme === 'system' ? {} : { forceColorScheme: theme })}
    >
      <ApiProvider value={client}>
        <ModalsProvider>
          <Notifications position="top-center" limit={3} classNames={{ root: classes.notices ?? '' }} />
          <Problems />
          <ErrorBoundary>
            <Frame />
          </ErrorBoundary>
        </ModalsProvider>
      </ApiProvider>
    </MantineProvider>
  );
}
