/** A limit on concurrent actions. */

/** Runs at most `limit` actions at a time, in the order of the calls. */
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
