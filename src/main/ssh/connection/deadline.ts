/** Time-outs for connecting that stop while the user is asked. */

/** The server closed the connection while the user was asked; `answered` settles once they have answered. */
export class HungUpMeanwhile extends Error {
  readonly answered: Promise<unknown>;

  constructor(answered: Promise<unknown>) {
    super('the server hung up while a question was open');
    this.answered = answered;
  }
}

/** Counts only the time in which no question is open. */
export function createDeadline(
  ms: number,
  passed: () => void,
): { pause<T>(work: Promise<T>): Promise<T>; restart(ms: number): void; stop(): void } {
  let left = ms;
  let started = performance.now();
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined = setTimeout(passed, left);
  return {
    async pause(work) {
      if (waiting === 0) {
        clearTimeout(timer);
        left -= performance.now() - started;
      }
      waiting += 1;
      try {
        return await work;
      } finally {
        waiting -= 1;
        if (waiting === 0 && timer !== undefined) {
          started = performance.now();
          timer = setTimeout(passed, Math.max(left, 1));
        }
      }
    },
    restart(next) {
      left = next;
      if (waiting > 0 || timer === undefined) return;
      clearTimeout(timer);
      started = performance.now();
      timer = setTimeout(passed, left);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
