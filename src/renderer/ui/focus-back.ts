/**
 * Where the focus was before a dialog, given back when it closes. Mantine does that only for dialogs that stay in the page while they are
 * closed; with others the keyboard would begin at the top of the window again.
 */
import { useEffect } from 'react';

/** The element outside of all dialogs, menus and lists that had the focus last. */
let outside: WeakRef<HTMLElement> | undefined;

/** Returns a function that stops it. */
export function followFocus(page: Document): () => void {
  const take = ({ target }: FocusEvent): void => {
    if (target instanceof HTMLElement && target.closest('[data-portal]') === null)
      outside = new WeakRef(target);
  };
  page.addEventListener('focusin', take);
  return () => page.removeEventListener('focusin', take);
}

/** For a dialog that is removed from the page when it closes. */
export function useFocusBack(): void {
  useEffect(
    () => () => {
      // After its removal, unless another part has taken the focus.
      setTimeout(() => {
        if (document.activeElement === null || document.activeElement === document.body)
          outside?.deref()?.focus({ preventScroll: true });
      });
    },
    [],
  );
}
