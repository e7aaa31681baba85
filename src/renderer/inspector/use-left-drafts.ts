/**
 * Text that is not valid, in a field that a choice has taken away (another optimizer, another cluster, no SSH): nothing would lead to
 * it any more, and no run could start. It goes with its field; that of a part which is not selected stays.
 */
import { useEffect, useRef } from 'react';
import { dropDraft, useDraftStore } from '../state/index.ts';

/**
 * For a panel that stays while its fields come and go.
 * @param part what the keys of its drafts begin with: `node.n1`
 * @param value of the part in the document
 */
export function useLeftDrafts(part: string, value: unknown): void {
  const shown = useRef<{ readonly part: string; readonly value: unknown }>(undefined);
  useEffect(() => {
    const before = shown.current;
    shown.current = { part, value };
    // Fields of closed folds may follow later when another part is shown, and nothing has been chosen since.
    if (before?.part !== part || before.value === value) return;
    const bad = Object.entries(useDraftStore.getState().drafts).filter(
      ([key, { problem }]) => problem !== undefined && key.startsWith(`${part}.`),
    );
    if (bad.length === 0) return;
    // Those of closed folds are on the page, too.
    const there = new Set(
      Array.from(document.querySelectorAll<HTMLElement>('[data-field]'), ({ dataset }) => dataset.field),
    );
    for (const [key] of bad) if (!there.has(key)) dropDraft(key);
  }, [part, value]);
}
