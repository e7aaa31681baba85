/** Who may go when: at most so many at once, one after another for a key, and once for all who ask for the same. */

/** Runs at most `limit` actions at a time, in the order they were asked for. */
export function createLimit(limit: number): <T>(action: () => Promise<T>) => Promise<T> {
  let running = 0;
  const queue: (() => void)[] = [];
  return async (action) => {
    if (running >= limit) await new Promise<void>((resolve) => queue.push(resolve));
    else running += 1;
    try {
      return await action();
    } finally {
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** Runs the actions of one key one after another; different keys at the same time. */
export function createTurns(): <T>(key: string, action: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (key, action) => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(action, action);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}

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
