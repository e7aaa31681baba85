/** Keyboard shortcuts of the commands, active in the whole window. */
import { useEffect } from 'react';
import { createSpotlight } from '@mantine/spotlight';
import { commands, isPressed, useClipboard, useCommandContext } from '../commands/index.ts';
import { useLabStore } from '../state/index.ts';
import { selectsText } from './select-text.ts';

/** The command palette's state, and a function that opens it. */
export const [paletteStore, palette] = createSpotlight();
export const paletteKeys = 'Mod+K';
const byKeys = commands.filter((command) => command.keys !== undefined && command.byBrowser !== true);

export function useShortcuts(): void {
  const context = useCommandContext();
  useClipboard(context);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isPressed(paletteKeys, event)) {
        palette.toggle();
        event.preventDefault();
        return;
      }
      if (isPressed('Mod+A', event) && selectsText(event)) return;
      // In a dialog, keys belong to the dialog; without Ctrl, a text field's keys are its input.
      const { target } = event;
      const isIn = (places: string): boolean => target instanceof Element && target.closest(places) !== null;
      if (isIn('[role="dialog"], [data-own-keys]')) return;
      if (!event.ctrlKey && !event.metaKey && isIn('input, textarea, [contenteditable="true"]')) return;
      if (useLabStore.getState().lab === undefined) return;
      const matching = byKeys.filter(({ keys, otherKeys }) =>
        [keys, otherKeys].some((wanted) => wanted !== undefined && isPressed(wanted, event)),
      );
      if (matching.length === 0) return;
      // A search field of the runs is no field of the lab: undo is the browser's there, and the drawing does not change.
      const edits = matching.some(({ section }) => section === 'edit');
      if (edits && isIn('[data-dock] input, [data-dock] textarea')) return;
      // Several commands may share the same keys, for one node or many.
      matching.find(({ isPossible }) => isPossible?.() ?? true)?.run(context);
      event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [context]);
}
