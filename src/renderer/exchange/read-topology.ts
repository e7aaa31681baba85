/** A containerlab file is read beside the window, which goes on meanwhile, and not for ever. */
import { fromWireError, RinglabError } from '../../shared/base/errors.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { TopologyAnswer, TopologyFile } from './containerlab-worker.ts';
import { phrase } from '../../shared/i18n/say.ts';

/** The largest lab takes 2 s on a slow computer. */
const maxMs = 20_000;

/** What this needs of a worker. */
export type TopologyWorker = Pick<Worker, 'postMessage' | 'terminate' | 'addEventListener'>;

const startWorker = (): TopologyWorker =>
  new Worker(new URL('./containerlab-worker.ts', import.meta.url), { type: 'module' });

/**
 * @throws lab_too_large, lab_unreadable, lab_invalid: as `fromContainerlab`; lab_invalid, too, where it takes longer than 20 s
 */
export function readTopology(
  text: string,
  where: string,
  { start = startWorker, limitMs = maxMs }: { start?: () => TopologyWorker; limitMs?: number } = {},
): Promise<LabDocument> {
  const worker = start();
  return new Promise<LabDocument>((resolve, reject) => {
    const timer = setTimeout(() => {
      const problem = phrase('labProblems.slow', { seconds: limitMs / 1000 });
      reject(new RinglabError('lab_invalid', { path: '', problem }, { where }));
    }, limitMs);
    worker.addEventListener('message', ({ data }: MessageEvent<TopologyAnswer>) => {
      clearTimeout(timer);
      if ('lab' in data) resolve(data.lab);
      else reject(fromWireError(data.error));
    });
    // A file that takes all of the worker's memory ends it.
    worker.addEventListener('error', (event) => {
      clearTimeout(timer);
      const { message } = event; // as the type of the event says; missing in the worker's own types
      reject(new RinglabError('lab_unreadable', {}, { where, detail: message }));
    });
    worker.postMessage({ text, where } satisfies TopologyFile);
  }).finally(() => worker.terminate());
}
