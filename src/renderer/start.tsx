/** Starts the window: connects to main, starts the state, and renders the frame. */
import '@fontsource-variable/inter';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import '@xyflow/react/dist/base.css';
import './theme/tokens.css';
import './theme/forced-colors.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createClient, gated, pageTransport } from './api/index.ts';
import { startI18n } from './i18n/index.ts';
import { App } from './shell/App.tsx';
import { autosave, resolveLanguage, saveBeforeLeaving, wire } from './state/index.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html lacks #root');

const client = gated(createClient(pageTransport(window)));
await startI18n(resolveLanguage('system'));
wire(client);
autosave(client);
saveBeforeLeaving(client, window);
createRoot(root).render(
  <StrictMode>
    <App client={client} />
  </StrictMode>,
);
