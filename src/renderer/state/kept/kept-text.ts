/** Keeps a choice of the user in the browser's storage. */

/** False where the storage is full or refused: then only this window has the choice, until it is closed. */
export function keepText(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
