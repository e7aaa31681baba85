/**
 * Limits how many of a window's reads main works on at a time: a comparison asks of hundreds of runs at once, and main refuses
 * more than 256 requests of one client. What the user does is sent at once, past the reads that wait.
 */
import { RinglabError } from '../../shared/base/errors.ts';
import type { LabClient } from '../../shared/contract/api-client.ts';
import type { CancelSignal, RequestArgs, RequestName, RequestResult } from '../../shared/contract/api.ts';

const maxReads = 32;
/** Beyond it main's and the client's own limits count. */
const maxWaiting = 10_000;

/** What is asked of each of several runs: quick to answer, and without effect. */
const reads: ReadonlySet<RequestName> = new Set<RequestName>([
  ...(['metrics.series', 'metrics.catalogue', 'metrics.count', 'metrics.lines'] as const),
  ...(['run.get', 'run.figures', 'run.scalarValues', 'run.outputs', 'run.media'] as const),
]);

/** The same client, with at most `most` reads at a time; the others wait in the order in which they were asked. */
export function gated(client: LabClient, most = maxReads): LabClient {
  const waiting = new Set<() => void>();
  let underWay = 0;
  const begin = <N extends RequestName>(
    name: N,
    args: RequestArgs<N>,
    signal?: CancelSignal,
  ): Promise<RequestResult<N>> => {
    underWay += 1;
    return client.call(name, args, signal).finally(() => {
      underWay -= 1;
      const [next] = waiting;
      next?.();
    });
  };
  return {
    ...client,
    call(name, args, signal) {
      if (!reads.has(name) || waiting.size >= maxWaiting) return client.call(name, args, signal);
      if (underWay < most) return begin(name, args, signal);
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          waiting.delete(take);
          signal?.removeEventListener('abort', cancel);
        };
        const take = (): void => {
          leave();
          begin(name, args, signal).then(resolve, reject);
        };
        const cancel = (): void => {
          leave();
          reject(new RinglabError('cancelled'));
        };
        if (signal?.aborted === true) {
          cancel();
          return;
        }
        waiting.add(take);
        signal?.addEventListener('abort', cancel);
      });
    },
  };
}
