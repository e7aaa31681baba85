/** The header: the lab's name, its save state, and the controls that run it. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp, IconHelp, IconSearch, IconSettings } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { typedLine } from '../../shared/base/plain-text.ts';
import { LabDocument } from '../../shared/lab/lab.ts';
import { keysInWords } from '../commands/index.ts';
import {
  editLab,
  redoEdit,
  sealHistory,
  showDialog,
  undoEdit,
  useLabId,
  useLabStore,
} from '../state/index.ts';
import classes from './Header.module.css';
import { LabMenu } from './LabMenu.tsx';
import { RunControls } from './RunControls.tsx';
import { SaveIndicator } from './SaveIndicator.tsx';
import { palette, paletteKeys } from './shortcuts.ts';

export function Header() {
  const { t } = useTranslation();
  const labId = useLabId();
  return (
    <header className={classes.header}>
      <Mark />
      <LabMenu />
      {labId !== undefined && (
        <>
          <LabName key={labId} />
          <SaveIndicator />
          <History />
        </>
      )}
      <span className={classes.space} />
      {labId !== undefined && <RunControls labId={labId} />}
      <Tooltip label={`${t('commands.open')} (${keysInWords(paletteKeys)})`}>
        <ActionIcon aria-label={t('commands.open')} onClick={palette.open}>
          <IconSearch size={17} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('shell.help.title')}>
        <ActionIcon aria-label={t('shell.help.title')} onClick={() => showDialog('help')}>
          <IconHelp size={17} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('shell.settings.open')}>
        <ActionIcon aria-label={t('shell.settings.open')} onClick={() => showDialog('settings')}>
          <IconSettings size={17} />
        </ActionIcon>
      </Tooltip>
    </header>
  );
}

/** The app's logo: three nodes in a ring. */
function Mark() {
  return (
    <h1 className={classes.mark}>
      <svg width="22" height="22" viewBox="0 0 24 24" aria-hidden>
        <circle
          cx="12"
          cy="12.8"
          r="7.2"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.8"
          opacity="0.55"
        />
        <circle cx="12" cy="5" r="3" fill="currentColor" />
        <circle cx="5.4" cy="16.4" r="3" fill="currentColor" />
        <circle cx="18.6" cy="16.4" r="3" fill="currentColor" />
      </svg>
      <span>Ringlab</span>
    </h1>
  );
}

function LabName() {
  const { t } = useTranslation();
  const name = useLabStore((state) => state.lab?.name ?? '');
  return (
    <input
      className={classes.name}
      aria-label={t('shell.labName')}
      value={name}
      placeholder={t('canvas.unnamed')}
      maxLength={LabDocument.shape.name.maxLength ?? 120}
      size={Math.min(36, Math.max(8, name.length + 1))}
      spellCheck={false}
      onChange={(event) =>
        editLab({ type: 'lab', change: { name: typedLine(event.currentTarget.value) } }, 'lab.name')
      }
      onBlur={sealHistory}
      onKeyDown={(event) => {
        // An input method takes this key.
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Enter' || event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
}

function History() {
  const { t } = useTranslation();
  const canUndo = useLabStore((state) => state.history.undo.length > 0);
  const canRedo = useLabStore((state) => state.history.redo.length > 0);
  return (
    <span className={classes.group}>
      <Tooltip label={`${t('shell.undo')} (Ctrl+Z)`}>
        <ActionIcon aria-label={t('shell.undo')} disabled={!canUndo} onClick={undoEdit}>
          <IconArrowBackUp size={17} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={`${t('shell.redo')} (Ctrl+Shift+Z)`}>
        <ActionIcon aria-label={t('shell.redo')} disabled={!canRedo} onClick={redoEdit}>
          <IconArrowForwardUp size={17} />
        </ActionIcon>
      </Tooltip>
    </span>
  );
}
