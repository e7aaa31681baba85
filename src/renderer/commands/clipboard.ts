/** Copy, cut and paste of drawn parts through the system's clipboard, between labs and windows. */
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { copySelected, pasteParts, shareCopies, useLabStore } from '../state/index.ts';
import type { CommandContext } from './command.ts';
import { removeAndNotify } from './edit-commands.ts';
import { sayNothingToPaste } from './system-clipboard.ts';

/** In text fields and selected text, the browser handles the clipboard. */
function isForText({ target }: Event): boolean {
  if (getSelection()?.isCollapsed === false) return true;
  return (
    target instanceof Element &&
    target.closest('input, textarea, [contenteditable="true"], [role="dialog"]') !== null
  );
}

const isOnCanvas = ({ target }: Event): boolean =>
  useLabStore.getState().lab !== undefined &&
  (target === document.body || (target instanceof Element && target.closest('.react-flow') !== null));

const sayLinksNotCopied = ({ t }: CommandContext): string =>
  notifications.show({ id: 'linksNotCopied', message: t('canvas.linksNotCopied'), autoClose: 5000 });

export function useClipboard(context: CommandContext): void {
  useEffect(shareCopies, []);
  useEffect(() => {
    const onCopy = (event: ClipboardEvent): void => {
      if (isForText(event)) return;
      const text = copySelected();
      if (text === undefined) {
        // Silence would look like a key that does not work.
        if (useLabStore.getState().selection.links.length > 0) sayLinksNotCopied(context);
        return;
      }
      event.clipboardData?.setData('text/plain', text);
      event.preventDefault();
      if (event.type === 'cut') removeAndNotify(context);
    };
    const onPaste = (event: ClipboardEvent): void => {
      if (isForText(event)) return;
      const text = event.clipboardData?.getData('text/plain');
      if (text !== undefined && pasteParts(text)) event.preventDefault();
      else if (isOnCanvas(event)) sayNothingToPaste(context);
    };
    document.addEventListener('copy', onCopy);
    document.addEventListener('cut', onCopy);
    document.addEventListener('paste', onPaste);
    return () => {
      document.removeEventListener('copy', onCopy);
      document.removeEventListener('cut', onCopy);
      document.removeEventListener('paste', onPaste);
    };
  }, [context]);
}
