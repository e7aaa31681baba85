/** Asks main for something again and again, one request at a time. */

/**
 * While a request is unanswered its turns are skipped: the wire may be lost for hours, and requests wait for it in a queue.
 * @param ask must not reject; `isFirst`: the request that is made at once
 * @param everyMs undefined to ask once
 * @returns a function that stops it
 */
export function poll(ask: (isFirst: boolean) => Promise<void>, everyMs: number | undefined): () => void {
  let isAsking = false;
  const turn = async (isFirst: boolean): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    await ask(isFirst);
    isAsking = false;
  };
  void turn(true);
  const timer = everyMs === undefined ? undefined : setInterval(() => void turn(false), everyMs);
  return () => clearInterval(timer);
}
