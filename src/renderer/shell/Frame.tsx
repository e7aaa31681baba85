/** The window's frame: header, palette, canvas, inspector, and the dock of run views. */
import { ReactFlowProvider } from '@xyflow/react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/index.ts';
import { Canvas, Outline, Palette } from '../canvas/index.ts';
import { Inspector, ScriptEditorDialog } from '../inspector/index.ts';
import { useLabId, useLabStore, useWindowStore } from '../state/index.ts';
import { RunDialogs } from '../runs/dialogs/index.ts';
import { CommandPalette } from './CommandPalette.tsx';
import { followTerminals } from '../terminal/index.ts';
import { ConflictDialog } from './ConflictDialog.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { Dock } from './Dock.tsx';
import { useEndNotices } from './end-notices.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import classes from './Frame.module.css';
import { Header } from './Header.tsx';
import { Help } from './Help.tsx';
import { PromptDialog } from './prompts/PromptDialog.tsx';
import { useShortcuts } from './shortcuts.ts';
import { SettingsPage } from './SettingsPage.tsx';
import { SshImport } from './SshImport.tsx';
import { Splitter, useSplit } from './Splitter.tsx';
import { Tour, TourOffer } from './Tour.tsx';
import { Welcome } from './Welcome.tsx';

export function Frame() {
  const { t } = useTranslation();
  const labId = useLabId();
  const phase = useWindowStore((state) => state.phase);
  const name = useLabStore((state) => state.lab?.name);
  useShortcuts();
  useEndNotices();
  const api = useApi();
  useEffect(() => followTerminals(api), [api]);
  useEffect(() => {
    document.title = name === undefined ? 'Ringlab' : `${name} – Ringlab`;
  }, [name]);
  return (
    <div className={classes.frame}>
      <Header />
      <ConnectionBanner />
      {labId !== undefined ? (
        <Desk labId={labId} />
      ) : phase === 'loading' ? (
        <main className={classes.loading} aria-busy="true">
          <span className={classes.pulse} aria-hidden />
          {t('shell.loading')}
        </main>
      ) : (
        <Welcome />
      )}
      <CommandPalette />
      <SshImport />
      <SettingsPage />
      <Help />
      <Tour />
      <ScriptEditorDialog />
      <RunDialogs />
      <PromptDialog />
      <ConflictDialog />
    </div>
  );
}

function Desk({ labId }: { labId: string }) {
  const { t } = useTranslation();
  const inspector = useSplit('inspector', { initial: 336, min: 300, max: 560 });
  return (
    <ReactFlowProvider>
      <div
        className={classes.desk}
        style={{ gridTemplateColumns: `168px minmax(0, 1fr) ${inspector.size}px` }}
      >
        <div className={classes.left}>
          <Palette />
          <Outline labId={labId} />
          <TourOffer />
        </div>
        <main className={classes.centre}>
          <ErrorBoundary resetKey={labId}>
            <div className={classes.canvas} data-tour="link">
              <Canvas />
            </div>
          </ErrorBoundary>
          <ErrorBoundary resetKey={labId}>
            <Dock labId={labId} />
          </ErrorBoundary>
          <div className={classes.edge}>
            <Splitter split={inspector} direction="vertical" label={t('shell.resizeInspector')} />
          </div>
        </main>
        <ErrorBoundary resetKey={labId}>
          <Inspector />
        </ErrorBoundary>
      </div>
    </ReactFlowProvider>
  );
}
