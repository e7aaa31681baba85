/** Shares one execution among concurrent callers. */

/**
 * The first caller does the work, and concurrent callers get its result. Where `isFinal` says that the failure was
 * specific to the first caller (cancelled, connection lost), the next caller does the work itself.
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
