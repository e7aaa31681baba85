/** Reads one thing of each of several runs: once, and of those that go on again and again. */
import { pollEach } from '../../api/index.ts';
import { asRinglabError, report } from '../../state/index.ts';

const secondsBetween = 5;

export interface RunPoll<Asked extends { readonly runId: string }, Read> {
  readonly all: readonly Asked[];
  /** Ids of the runs that have not ended. */
  readonly live: readonly string[];
  /** Undefined where there is nothing yet. */
  readonly read: (asked: Asked, signal: AbortSignal) => Promise<Read | undefined>;
  /** What was read at a time, by run. */
  readonly onRead: (read: ReadonlyMap<string, Read>) => void;
}

/** A run that cannot be read holds up none of the others. Returns a function that ends it. */
export function pollRuns<Asked extends { readonly runId: string }, Read>({
  all,
  live,
  read,
  onRead,
}: RunPoll<Asked, Read>): () => void {
  const stop = new AbortController();
  const going = new Set(live);
  const stopPolling = pollEach({
    all,
    live: all.filter(({ runId }) => going.has(runId)),
    everyMs: secondsBetween * 1000,
    ask: async (some, answered) => {
      const answers = await Promise.allSettled(some.map((one) => read(one, stop.signal)));
      const found = new Map<string, Read>();
      for (const [index, one] of some.entries()) {
        const answer = answers[index];
        if (answer?.status !== 'fulfilled') continue;
        if (answer.value !== undefined) found.set(one.runId, answer.value);
        answered(one);
      }
      if (found.size > 0) onRead(found);
      const failed = answers.find((answer) => answer.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
    onError: (error) => report(asRinglabError(error)),
  });
  return () => {
    stop.abort();
    stopPolling();
  };
}
