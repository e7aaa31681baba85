/** Keys that work anywhere in the window. */
import { useEffect } from 'react';
import { useApi } from '../api/index.ts';
import {
  asRinglabError,
  duplicateSelected,
  redoEdit,
  report,
  saveNow,
  undoEdit,
  useLabStore,
} from '../state/index.ts';

export function useShortcuts(): void {
  const api = useApi();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      // In a dialog the keys belong to what is typed there.
      if (event.target instanceof Element && event.target.closest('[role="dialog"]') !== null) return;
      if (useLabStore.getState().lab === undefined) return;
      const key = event.key.toLowerCase();
      if (key === 'z') (event.shiftKey ? redoEdit : undoEdit)();
      else if (key === 'y') redoEdit();
      else if (key === 'd') duplicateSelected();
      else if (key === 's') saveNow(api).catch((error: unknown) => report(asRinglabError(error)));
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [api]);
}
