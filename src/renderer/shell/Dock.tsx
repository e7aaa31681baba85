/** The dock below the canvas, with the run views and the terminals. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { useElementSize, useLocalStorage } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp, IconColumns2 } from '@tabler/icons-react';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { keysInWords } from '../commands/index.ts';
import { RunDock } from '../runs/dock/index.ts';
import { keepText, setDock, showRun, useShownRunId } from '../state/index.ts';
import { showTerminals, TerminalPanel, useTabs } from '../terminal/index.ts';
import { useWindowSize } from '../ui/index.ts';
import classes from './Dock.module.css';
import { Splitter, useSplit } from './Splitter.tsx';

export function Dock({ labId }: { labId: string }) {
  const { t } = useTranslation();
  const runId = useShownRunId(labId);
  const { height } = useWindowSize();
  const { ref, width } = useElementSize<HTMLElement>();
  const split = useSplit('dock', {
    initial: Math.round(height * 0.42),
    min: 120,
    // What the header and the least of the canvas leave.
    max: Math.max(120, height - 200),
  });
  const terminals = useTabs((state) => state.tabs.length);
  const terminal = useTabs((state) => state.shown) && terminals > 0;
  const [wantsBeside, setBeside] = useLocalStorage({ key: 'ringlab.dock.beside', defaultValue: false });
  const fits = width >= narrowestBeside;
  const beside = wantsBeside && fits && terminals > 0;
  // Without a run there is nothing to show: the canvas gets the space.
  const [chosen, setChosen] = useChoice(`${labId} ${runId ?? ''} ${terminals}`);
  const open = chosen ?? (runId !== undefined || terminals > 0);
  const onSelectRun = useCallback((id: string) => showRun(labId, id), [labId]);
  const toggleBeside = (): void => {
    if (!open) setChosen(true);
    // A closed dock opens with both, whatever it showed before.
    setBeside(!open || !wantsBeside);
  };
  useEffect(() =>
    setDock({
      toggle: () => setChosen(!open),
      toggleBeside: fits && terminals > 0 ? toggleBeside : undefined,
    }),
  );
  const label = open ? t('shell.dock.collapse') : t('shell.dock.expand');
  return (
    <>
      {open && <Splitter split={split} direction="horizontal" label={t('shell.dock.resize')} />}
      <section
        ref={ref}
        className={classes.dock}
        data-dock
        data-tour="watch"
        aria-label={t('shell.dock.title')}
        style={open ? { height: split.size } : undefined}
      >
        {open && terminals > 0 && (
          <div className={classes.pages} role="group" aria-label={t('shell.dock.pages')}>
            {[false, true].map((page) => (
              <button
                key={String(page)}
                type="button"
                className={classes.page}
                aria-pressed={beside || page === terminal}
                onClick={() => {
                  setBeside(false);
                  showTerminals(page);
                }}
              >
                {page ? t('shell.dock.terminals', { count: terminals }) : t('shell.dock.title')}
              </button>
            ))}
            {fits && (
              <Tooltip label={t('commands.name.toggleBeside')}>
                <ActionIcon
                  size={24}
                  aria-label={t('commands.name.toggleBeside')}
                  aria-pressed={beside}
                  variant={beside ? 'light' : 'subtle'}
                  onClick={toggleBeside}
                >
                  <IconColumns2 size={15} />
                </ActionIcon>
              </Tooltip>
            )}
          </div>
        )}
        {open ? (
          <div className={classes.bodies}>
            {/* Stays mounted while the terminals are shown, so that its charts need not be requested again. */}
            <div className={classes.body} hidden={terminal && !beside}>
              <RunDock labId={labId} runId={runId} onSelectRun={onSelectRun} />
            </div>
            {beside ? (
              <TerminalsBeside dockWidth={width} />
            ) : (
              terminal && (
                <div className={classes.body}>
                  <TerminalPanel />
                </div>
              )
            )}
          </div>
        ) : (
          <button type="button" className={classes.bar} onClick={() => setChosen(true)}>
            {t('shell.dock.title')}
          </button>
        )}
        <Tooltip label={`${label} (${keysInWords('Mod+J')})`} position="top-end">
          <ActionIcon
            className={classes.toggle}
            size={24}
            aria-label={label}
            aria-expanded={open}
            onClick={() => setChosen(!open)}
          >
            {open ? <IconChevronDown size={15} /> : <IconChevronUp size={15} />}
          </ActionIcon>
        </Tooltip>
      </section>
    </>
  );
}

/** In pixels: what the runs need beside the terminals, and what those need. */
const [runsWidth, terminalsWidth] = [420, 300];
const narrowestBeside = runsWidth + terminalsWidth;

function TerminalsBeside({ dockWidth }: { dockWidth: number }) {
  const { t } = useTranslation();
  const split = useSplit('terminals', {
    initial: Math.round(dockWidth * 0.42),
    min: terminalsWidth,
    max: dockWidth - runsWidth,
  });
  return (
    <>
      <Splitter split={split} direction="vertical" label={t('shell.dock.besideWidth')} />
      <div className={classes.body} style={{ flex: `0 0 ${split.size}px` }}>
        <TerminalPanel />
      </div>
    </>
  );
}

const choiceKey = 'ringlab.dock';

/** Open or closed, as the user left it for its current content; kept over a reload of the window. */
function useChoice(of: string): [boolean | undefined, (open: boolean) => void] {
  const [kept, setKept] = useState(() => localStorage.getItem(choiceKey));
  const choose = (open: boolean): void => {
    const choice = `${open ? 'open' : 'closed'} ${of}`;
    setKept(choice);
    keepText(choiceKey, choice);
  };
  return [kept === `open ${of}` ? true : kept === `closed ${of}` ? false : undefined, choose];
}
