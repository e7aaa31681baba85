/**
 * `run --queue`: releases a queue that holds because the previous run was stopped or failed, when it is this
 * command's turn.
 */
import { describeError } from '../../../shared/i18n/error-texts.ts';
import { isCancelled, toWireError } from '../../../shared/base/errors.ts';
import { isUnderWay } from '../../../shared/run/run.ts';
import type { Session } from './session.ts';
import { language, speak } from './speak.ts';

/** Delay that lets the queue itself start the next run. */
const looksAfterMs = 1500;

/** Returns a function that stops it. */
export function leaveQueueInTurn({ api }: Session, runId: string): () => void {
  let timer: NodeJS.Timeout | undefined;
  let labId: string | undefined;
  const look = async (): Promise<void> => {
    const runs = await api.call('run.list', { labId });
    const mine = runs.find(({ id }) => id === runId);
    if (mine?.state !== 'queued') return;
    const before = runs.some(({ state, createdAt }) => state === 'queued' && createdAt < mine.createdAt);
    if (before || runs.some(({ state }) => isUnderWay(state))) return;
    process.stderr.write(`${speak('cli.queue.turn')}\n`);
    // The others that are held wait for the user, who may have stopped a sweep.
    await api.call('run.resume', { runId, alone: true });
  };
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      look().catch((error: unknown) => {
        if (!isCancelled(error))
          process.stderr.write(`${describeError(toWireError(error), language).message}\n`);
      });
    }, looksAfterMs);
  };
  const stop = api.subscribe((event) => {
    if (event.name === 'run.changed' && event.data.run.labId === labId && event.data.run.id !== runId)
      later();
  });
  api.call('run.get', { runId }).then(
    (run) => {
      ({ labId } = run);
      if (run.state === 'queued') later();
    },
    () => undefined,
  );
  return () => {
    clearTimeout(timer);
    stop();
  };
}
