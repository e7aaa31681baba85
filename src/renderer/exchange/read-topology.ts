/** Reads a containerlab file in a worker, with a time-out, so that the window stays responsive. */
import { fromWireError, RinglabError } from '../../shared/base/errors.ts';
import type { ReadTopology } from './containerlab.ts';
import type { TopologyAnswer, TopologyFile } from './containerlab-worker.ts';
import { phrase } from '../../shared/i18n/say.ts';

/** The largest lab takes 2 s on a slow computer. */
const maxMs = 20_000;

/** The methods of a worker that are used here. */
export type TopologyWorker = Pick<Worker, 'postMessage' | 'terminate' | 'addEventListener'>;

const startWorker = (): TopologyWorker =>
  new Worker(new URL('./containerlab-worker.ts', import.meta.url), { type: 'module' });

/**
 * @throws lab_too_large, lab_unreadable, lab_invalid: as `fromContainerlab`; also lab_invalid if it takes longer than 20 s
 */
export function readTopology(
  text: string,
  where: string,
  { start = startWorker, limitMs = maxMs }: { start?: () => TopologyWorker; limitMs?: number } = {},
): Promise<ReadTopology> {
  const worker = start();
  return new Promise<ReadTopology>((resolve, reject) => {
    const timer = setTimeout(() => {
      const problem = phrase('labProblems.slow', { seconds: limitMs / 1000 });
      reject(new RinglabError('lab_invalid', { path: '', problem }, { where }));
    }, limitMs);
    worker.addEventListener('message', ({ data }: MessageEvent<TopologyAnswer>) => {
      clearTimeout(timer);
      if ('lab' in data) resolve(data);
      else reject(fromWireError(data.error));
    });
    // A file that uses up the worker's memory ends the worker.
    worker.addEventListener('error', (event) => {
      clearTimeout(timer);
      const { message } = event; // an ErrorEvent, which the worker's own types lack
      reject(new RinglabError('lab_unreadable', {}, { where, detail: message }));
    });
    worker.postMessage({ text, where } satisfies TopologyFile);
  }).finally(() => worker.terminate());
}
