/** The handle at the canvas's edge that opens and closes a side panel. */
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { commandOf, keysInWords } from '../commands/index.ts';
import { togglePanel, usePanelOpen, type SidePanel } from '../state/index.ts';
import classes from './PanelHandle.module.css';

/** @param inset how far the open panel reaches over the canvas, in pixels */
export function PanelHandle({ panel, inset }: { panel: SidePanel; inset: number }) {
  const { t } = useTranslation();
  const open = usePanelOpen(panel);
  const side = panel === 'palette' ? 'left' : 'right';
  const pointsLeft = (side === 'left') === open;
  const label = t(`shell.panel.${panel}.${open ? 'close' : 'open'}`);
  const { keys = '' } = commandOf(panel === 'palette' ? 'togglePalette' : 'toggleInspector');
  return (
    <button
      type="button"
      className={classes.handle}
      data-side={side}
      style={{ [side]: inset }}
      aria-label={label}
      aria-expanded={open}
      title={`${label} (${keysInWords(keys)})`}
      onClick={() => togglePanel(panel)}
    >
      {pointsLeft ? <IconChevronLeft size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />}
    </button>
  );
}
