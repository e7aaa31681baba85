/** Escape in a search field takes what was typed, and nothing else: the view behind stays as it is until the field is empty. */
import type { KeyboardEvent } from 'react';

/** @returns a field's `onKeyDown` */
export const clearOnEscape =
  (text: string, clear: () => void) =>
  (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key !== 'Escape' || text === '') return;
    event.stopPropagation();
    // An input method takes this one.
    if (event.nativeEvent.isComposing) return;
    event.preventDefault();
    clear();
  };
