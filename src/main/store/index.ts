/** Public interface of the store: `openStore` starts the worker that owns the database, and forwards calls to it. */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { fromWireError, RinglabError, type WireError } from '../../shared/base/errors.ts';
import type { Point } from '../../shared/metrics/metrics.ts';
import type { OpenedStore, Store, StoreOptions } from './contract.ts';
import type { Cursor } from './engine.ts';
import type {
  Ask,
  OperationArgs,
  OperationName,
  OperationResult,
  WorkerMessage,
  WorkerData,
} from './protocol.ts';

export type * from './contract.ts';
export { diskError, replaceFile } from './durable.ts';

/**
 * The worker's file: the TypeScript source where the app runs from source (Node strips the types), and
 * `store-worker.js` in a bundle (entry point `src/main/store/worker.ts`).
 */
const workerFile = (): URL =>
  new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './store-worker.js', import.meta.url);

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * Opens the store of a data folder and locks the folder for this process. Rejects with `data_folder_busy` (with its
 * owner), `local_disk_full` or `file_unwritable`.
 */
export async function openStore(dataFolder: string, options: StoreOptions = {}): Promise<OpenedStore> {
  const worker = new Worker(workerFile(), { workerData: { dataFolder } satisfies WorkerData });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let closed: RinglabError | undefined;

  const opened = new Promise<readonly WireError[]>((resolve, reject) => {
    const end = (error: RinglabError): void => {
      closed ??= error;
      reject(closed);
      for (const { reject: fail } of waiting.values()) fail(closed);
      waiting.clear();
    };
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'open') resolve(message.repaired);
      else if (message.type === 'refused') end(fromWireError(message.error));
      else if (message.type === 'repaired') options.onRepaired?.(message.damage);
      else {
        const asked = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.type === 'answer') asked?.resolve(message.value);
        else asked?.reject(fromWireError(message.error));
      }
    });
    worker.on('error', (error) =>
      end(new RinglabError('internal', {}, { where: 'store', detail: String(error), cause: error })),
    );
    worker.on('exit', () => end(new RinglabError('cancelled', {}, { where: 'store' })));
  });

  const ask = <N extends OperationName>(name: N, ...args: OperationArgs<N>): Promise<OperationResult<N>> => {
    if (closed !== undefined) return Promise.reject(closed);
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, name, args } satisfies Ask);
    });
  };

  const repaired = await opened;
  return { store: speaker(dataFolder, ask), repaired };

  function speaker(folder: string, call: typeof ask): Store {
    let closing: Promise<void> | undefined;
    return {
      listRuns: (which) => call('listRuns', which),
      problems: () => call('problems'),
      getRun: (runId) => call('getRun', runId),
      saveRun: (run) => call('saveRun', run),
      deleteRun: (runId) => call('deleteRun', runId),
      runFolder: (runId) => join(folder, 'runs', runId),
      // A copy, because posting a view would send its whole buffer.
      append: (chunk) => call('append', { ...chunk, bytes: Uint8Array.from(chunk.bytes) }),
      offset: (runId, source) => call('offset', runId, source),
      lastSeq: (runId, source) => call('lastSeq', runId, source),
      restart: (runId, source) => call('restart', runId, source),
      series: (query) => call('series', query),
      catalogue: (runId) => call('catalogue', runId),
      lines: (query) => call('lines', query),
      countPoints: (runId) => call('countPoints', runId),
      allLines: (runId) => pages((cursor) => call('page', runId, cursor)),
      getSetting: (name) => call('getSetting', name),
      setSetting: (name, value) => call('setSetting', name, value),
      close() {
        closing ??= call('close').then(async () => {
          closed = new RinglabError('cancelled', {}, { where: 'store' });
          await worker.terminate();
        });
        return closing;
      },
    };
  }
}

async function* pages(
  read: (cursor: Cursor | undefined) => Promise<{ points: Point[]; next: Cursor | undefined }>,
): AsyncGenerator<Point> {
  let cursor: Cursor | undefined;
  do {
    const page = await read(cursor);
    yield* page.points;
    cursor = page.next;
  } while (cursor !== undefined);
}
