/** Work that is done one after another: of one kind, or of one key. A failure goes to who asked, and holds up nobody else. */

export interface SerialQueue {
  <T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when all that was asked for before the call has ended, well or not. */
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
  /** Of all keys. */
  settled(): Promise<void>;
}

/** Different keys at the same time. A key that nobody waits for any more takes no memory. */
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
