/**
 * A queue that runs actions one after another, in all or for each key. A failure rejects the caller's promise and
 * does not stop later actions.
 */

export interface SerialQueue {
  <T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when everything queued before the call has finished or failed. */
  settled(): Promise<void>;
}

export function createSerialQueue(): SerialQueue {
  let last: Promise<void> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.then(
      () => undefined,
      () => undefined,
    );
    return mine;
  };
  return Object.assign(inTurn, { settled: () => last });
}

export interface KeyedQueue {
  <T>(key: string, work: () => Promise<T>): Promise<T>;
  /** The same for all keys. */
  settled(): Promise<void>;
}

/** Different keys run concurrently. A key without pending actions takes no memory. */
export function createKeyedQueue(): KeyedQueue {
  const queues = new Map<string, { readonly inTurn: SerialQueue; waiting: number }>();
  const inTurn = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const queue = queues.get(key) ?? { inTurn: createSerialQueue(), waiting: 0 };
    queues.set(key, queue);
    queue.waiting += 1;
    try {
      return await queue.inTurn(work);
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(key);
    }
  };
  const settled = async (): Promise<void> => {
    await Promise.all([...queues.values()].map((queue) => queue.inTurn.settled()));
  };
  return Object.assign(inTurn, { settled });
}
