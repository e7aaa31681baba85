/**
 * The store's worker thread: the only one with a database connection. Bundled as `store-worker.js` beside the app's
 * bundle.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { toWireError } from '../../shared/base/errors.ts';
import { Engine } from './engine.ts';
import type { Ask, WorkerData, WorkerMessage } from './protocol.ts';

const port = parentPort;
if (port === null) throw new Error('store/worker.ts runs as a worker of store/index.ts');
const send = (message: WorkerMessage): void => port.postMessage(message);

// Sent by openStore of the same build.
const { dataFolder } = workerData as WorkerData;
try {
  const engine = new Engine({
    dataFolder,
    onRepaired: (damage) => send({ type: 'repaired', damage: toWireError(damage) }),
  });
  port.on('message', (ask: Ask) => {
    // Name and arguments were type-checked together by the sender.
    const operation = engine[ask.name].bind(engine) as (...args: unknown[]) => unknown;
    void (async () => {
      try {
        const value = await operation(...ask.args);
        send({ type: 'answer', id: ask.id, value });
      } catch (error) {
        send({ type: 'failure', id: ask.id, error: toWireError(error) });
      }
      if (ask.name === 'close') port.close();
    })();
  });
  send({ type: 'open', repaired: engine.repaired.map(toWireError) });
} catch (error) {
  send({ type: 'refused', error: toWireError(error) });
  port.close();
}
