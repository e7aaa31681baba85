/**
 * The store's worker thread: the only one with a database connection. Bundled as `store-worker.js` beside the app's
 * bundle.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { toWireError } from '../../shared/base/errors.ts';
import { Engine } from './engine.ts';
import type { Ask, Said, WorkerData } from './protocol.ts';

const port = parentPort;
if (port === null) throw new Error('store/worker.ts runs as a worker of store/index.ts');
const say = (said: Said): void => port.postMessage(said);

// Sent by openStore of the same build.
const { dataFolder } = workerData as WorkerData;
try {
  const engine = new Engine({ dataFolder, onRepaired: (what) => say({ type: 'repaired', what }) });
  port.on('message', (ask: Ask) => {
    // Name and arguments were type-checked together by the sender.
    const operation = engine[ask.name].bind(engine) as (...args: unknown[]) => unknown;
    void (async () => {
      try {
        const value = await operation(...ask.args);
        say({ type: 'answer', id: ask.id, value });
      } catch (error) {
        say({ type: 'failure', id: ask.id, error: toWireError(error) });
      }
      if (ask.name === 'close') port.close();
    })();
  });
  say({ type: 'open', repaired: engine.repaired });
} catch (error) {
  say({ type: 'refused', error: toWireError(error) });
  port.close();
}
