/** Time as an effect, so that tests can hold it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `action` once after `milliseconds`; returns how to stop it. Does not keep the process alive. */
  after(milliseconds: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after the time; rejects with the signal's reason where it is aborted first. */
export function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const aborted = (): void => {
      stop();
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    const stop = clock.after(milliseconds, () => {
      signal.removeEventListener('abort', aborted);
      resolve();
    });
    signal.addEventListener('abort', aborted, { once: true });
  });
}
