/**
 * Ctrl+A where text is: all of that field, log, table or dialog, never the whole page. Elsewhere it belongs to the drawing
 * (the command 'Select all').
 */
const fields = 'input, textarea, [contenteditable="true"], [data-own-keys]';
const texts = '[role="log"], pre, table, [role="dialog"]';

/** Whether the keys were meant for text. */
export function selectsText(event: KeyboardEvent): boolean {
  const { target } = event;
  if (!(target instanceof Element)) return false;
  // The browser, the terminal and the editor select all of their own.
  if (target.closest(fields) !== null) return true;
  const text = target.closest(texts);
  if (text === null) return false;
  getSelection()?.selectAllChildren(text);
  event.preventDefault();
  return true;
}
