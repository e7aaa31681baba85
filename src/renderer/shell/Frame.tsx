/** The window's frame: header, palette, canvas, inspector, and the dock of run views. */
import { ReactFlowProvider } from '@xyflow/react';
import { useDeferredValue, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/index.ts';
import { Canvas, Outline, Palette } from '../canvas/index.ts';
import { Inspector, ScriptEditorDialog } from '../inspector/index.ts';
import { sideBySideFrom, useLabId, useLabStore, usePanelOpen, useWindowStore } from '../state/index.ts';
import { shownName, useWindowSize } from '../ui/index.ts';
import { BundleDialog } from './BundleDialog.tsx';
import { CommandPalette } from './CommandPalette.tsx';
import { followTerminals } from '../terminal/index.ts';
import { ConflictDialog } from './ConflictDialog.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { UpdateBanner } from './UpdateBanner.tsx';
import { Dock } from './Dock.tsx';
import { FileDrop } from './FileDrop.tsx';
import { useEndNotices } from './end-notices.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import classes from './Frame.module.css';
import { Header } from './Header.tsx';
import { RunDialogs } from '../runs/dialogs/index.ts';
import { Help } from './Help.tsx';
import { PanelHandle } from './PanelHandle.tsx';
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
    document.title = name === undefined ? 'Ringlab' : `${shownName(name, t)} – Ringlab`;
  }, [name, t]);
  return (
    <div className={classes.frame}>
      <Header />
      <ConnectionBanner />
      <UpdateBanner />
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
      <BundleDialog />
      <SettingsPage />
      <Help />
      <Tour />
      <ScriptEditorDialog />
      <RunDialogs />
      <PromptDialog />
      <ConflictDialog />
      <FileDrop />
    </div>
  );
}

/** In pixels. */
const paletteWidth = 168;

function Desk({ labId }: { labId: string }) {
  const { t } = useTranslation();
  const { width } = useWindowSize();
  const narrow = width < sideBySideFrom;
  const inspector = useSplit('inspector', { initial: 336, min: 300, max: 560 });
  // Over the canvas it leaves a strip of it, with both handles.
  const inspectorWidth = narrow ? Math.min(inspector.size, width - 64) : inspector.size;
  const left = usePanelOpen('palette');
  const right = usePanelOpen('inspector');
  // The drawing is painted first: the fields of the inspector take most of the time.
  const isPainted = useDeferredValue(true, false);
  const panels = `${left} ${right}`;
  const panelsBefore = useRef(panels);
  useEffect(() => {
    const isSame = panelsBefore.current === panels;
    panelsBefore.current = panels;
    // A panel that closes takes the focus along.
    if (!isSame && document.activeElement === document.body)
      document.querySelector<HTMLElement>('[data-lab]')?.focus({ preventScroll: true });
  }, [panels]);
  const column = (open: boolean, size: number): string => (open && !narrow ? `${size}px` : '0px');
  return (
    <ReactFlowProvider>
      <div
        className={classes.desk}
        data-narrow={narrow}
        style={{
          gridTemplateColumns: `${column(left, paletteWidth)} minmax(0, 1fr) ${column(right, inspectorWidth)}`,
        }}
      >
        <div className={classes.left} hidden={!left} style={{ width: paletteWidth }}>
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
          {right && !narrow && (
            <div className={classes.edge}>
              <Splitter split={inspector} direction="vertical" label={t('shell.resizeInspector')} />
            </div>
          )}
          <PanelHandle panel="palette" inset={narrow && left ? paletteWidth : 0} />
          <PanelHandle panel="inspector" inset={narrow && right ? inspectorWidth : 0} />
        </main>
        <div className={classes.right} hidden={!right} style={{ width: inspectorWidth }}>
          <ErrorBoundary resetKey={labId}>{isPainted && <Inspector />}</ErrorBoundary>
        </div>
      </div>
    </ReactFlowProvider>
  );
}
