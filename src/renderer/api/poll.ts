/** Asks main for something again and again, one request at a time. */

/**
 * While a request is unanswered its turns are skipped: the wire may be lost for hours, and requests wait for it in a queue.
 * @param ask must not reject; called at once, too
 * @param everyMs undefined to ask once
 * @returns a function that stops it
 */
export function poll(ask: () => Promise<void>, everyMs: number | undefined): () => void {
  let isAsking = false;
  const turn = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    await ask();
    isAsking = false;
  };
  void turn();
  const timer = everyMs === undefined ? undefined : setInterval(() => void turn(), everyMs);
  return () => clearInterval(timer);
}

interface PollEach<T> {
  readonly all: readonly T[];
  /** Those of them that change. */
  readonly live: readonly T[];
  readonly everyMs: number;
  /** Reports each one that is answered; may reject. */
  readonly ask: (some: readonly T[], answered: (one: T) => void) => Promise<void>;
  /** The first of several failures in a row. */
  readonly onError: (error: unknown) => void;
}

/**
 * Asks about all once, and about those that change again and again. One whose request failed is asked about in the next turn.
 * @returns a function that stops it
 */
export function pollEach<T>({ all, live, everyMs, ask, onError }: PollEach<T>): () => void {
  const unanswered = new Set(all);
  let isFailing = false;
  let isStopped = false;
  const turn = async (): Promise<void> => {
    const some = all.filter((one) => unanswered.has(one) || live.includes(one));
    if (some.length === 0) return;
    try {
      await ask(some, (one) => unanswered.delete(one));
      isFailing = false;
    } catch (error) {
      if (!isFailing && !isStopped) onError(error);
      isFailing = true;
    }
  };
  const stop = poll(turn, everyMs);
  return () => {
    isStopped = true;
    stop();
  };
}
