/**
 * The panels around the canvas: which are open. In a narrow window the side panels lie over the canvas, and are closed until the user
 * opens them. A choice is kept on this computer, apart for narrow and wide windows.
 */
import { create } from 'zustand';
import { keepText } from './kept/kept-text.ts';

export type SidePanel = 'palette' | 'inspector';

/** From this width on, the side panels stand beside the canvas. In CSS pixels. */
export const sideBySideFrom = 880;
const isNarrow = (): boolean => window.innerWidth < sideBySideFrom;

const usePanels = create<{ readonly chosen: Readonly<Record<string, boolean>> }>(() => ({ chosen: {} }));

const keyOf = (panel: SidePanel): string => `ringlab.panel.${panel}.${isNarrow() ? 'narrow' : 'wide'}`;

function isOpen(chosen: Readonly<Record<string, boolean>>, panel: SidePanel): boolean {
  const key = keyOf(panel);
  const kept = chosen[key] ?? { open: true, closed: false }[localStorage.getItem(key) ?? ''];
  return kept ?? !isNarrow();
}

/** The caller is rendered again when the window's width changes. */
export const usePanelOpen = (panel: SidePanel): boolean => usePanels(({ chosen }) => isOpen(chosen, panel));

export function openPanel(panel: SidePanel, open = true): void {
  const key = keyOf(panel);
  if (isOpen(usePanels.getState().chosen, panel) === open) return;
  keepText(key, open ? 'open' : 'closed');
  usePanels.setState(({ chosen }) => ({ chosen: { ...chosen, [key]: open } }));
}

export const togglePanel = (panel: SidePanel): void =>
  openPanel(panel, !isOpen(usePanels.getState().chosen, panel));

interface DockSwitches {
  readonly toggle: () => void;
  /** Runs and terminals side by side; absent where there is no terminal, or no width for both. */
  readonly toggleBeside?: (() => void) | undefined;
}

/** The dock's content decides whether it is open: it registers itself while it is mounted. */
let dock: DockSwitches | undefined;

/** Returns a function that removes it. */
export function setDock(switches: DockSwitches): () => void {
  dock = switches;
  return () => {
    if (dock === switches) dock = undefined;
  };
}

export const toggleDock = (): void => dock?.toggle();
export const canToggleBeside = (): boolean => dock?.toggleBeside !== undefined;
export const toggleBeside = (): void => dock?.toggleBeside?.();
