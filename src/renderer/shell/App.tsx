/** Everything around the frame: theme, language, dialogs, notifications, and the client. */
import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { ApiProvider, type LabClient } from '../api/index.ts';
import { setLanguage } from '../i18n/index.ts';
import { useLanguage, useSettingsStore } from '../state/index.ts';
import { mantineTheme } from '../theme/index.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { Frame } from './Frame.tsx';
import { Problems } from './Problems.tsx';

export function App({ client }: { client: LabClient }) {
  const language = useLanguage();
  const theme = useSettingsStore((state) => state.theme);
  useEffect(() => void setLanguage(language), [language]);
  return (
    <MantineProvider
      theme={mantineTheme}
      defaultColorScheme="auto"
      {...(theme === 'system' ? {} : { forceColorScheme: theme })}
    >
      <ApiProvider value={client}>
        <ModalsProvider>
          <Notifications position="top-center" limit={4} />
          <Problems />
          <ErrorBoundary>
            <Frame />
          </ErrorBoundary>
        </ModalsProvider>
      </ApiProvider>
    </MantineProvider>
  );
}
