/** Work that several ask for at the same time is done once. */

/**
 * The same work asked for by several at once is done by the first; the others get its result. Where `isFinal` says
 * that the failure was not the first one's own (its cancelling, its lost connection), the next one does it itself.
 */
export function createOnce<T>(
  isFinal: (error: unknown) => boolean,
): (key: string, action: () => Promise<T>) => Promise<T> {
  const going = new Map<string, Promise<T>>();
  return async (key, action) => {
    for (;;) {
      const other = going.get(key);
      if (other === undefined) break;
      try {
        return await other;
      } catch (error) {
        if (isFinal(error)) throw error;
      }
    }
    const mine = action();
    going.set(key, mine);
    try {
      return await mine;
    } finally {
      going.delete(key);
    }
  };
}
