/** Keys that work anywhere in the window: those of the commands. */
import { useEffect } from 'react';
import { createSpotlight } from '@mantine/spotlight';
import { commandOf, commands, isPressed, useClipboard, useCommandContext } from '../commands/index.ts';
import { useLabStore } from '../state/index.ts';

/** The list of all commands: what it shows, and how it is opened. */
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
      // In a dialog the keys belong to what is typed there, and without Ctrl a field's keys are its text.
      const { target } = event;
      const isIn = (places: string): boolean => target instanceof Element && target.closest(places) !== null;
      if (isIn('[role="dialog"], [data-own-keys]')) return;
      if (!event.ctrlKey && !event.metaKey && isIn('input, textarea, [contenteditable="true"]')) return;
      if (useLabStore.getState().lab === undefined) return;
      const meant = isPressed('Mod+Y', event)
        ? [commandOf('redo')]
        : byKeys.filter(({ keys }) => keys !== undefined && isPressed(keys, event));
      if (meant.length === 0) return;
      // The same keys may mean one node or many.
      meant.find(({ isPossible }) => isPossible?.() ?? true)?.run(context);
      event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [context]);
}
