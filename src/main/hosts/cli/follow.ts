/** Follows a run to its end, with its progress on standard error. */
import { isEnded, type RunRecord } from '../../../shared/run.ts';
import { showProgress } from './progress.ts';
import type { Session } from './session.ts';

/** What Ctrl+C does: `stop` stops the run, gracefully, then firmly, then leaves it; `leave` leaves it at once. */
export type OnInterrupt = 'stop' | 'leave';

/** The user has left the run to itself. */
export class LeftRun extends Error {}

/** @param seen each time that the run has changed */
export async function followRun(
  session: Session,
  runId: string,
  onInterrupt: OnInterrupt,
  seen: (run: RunRecord) => void = () => undefined,
): Promise<RunRecord> {
  const { api } = session;
  const first = await api.call('run.get', { runId });
  session.concerns(first.labId);
  const progress = showProgress(
    { runId, labId: first.labId },
    (text) => process.stderr.write(text),
    process.stderr.isTTY,
  );
  const { promise, resolve, reject } = Promise.withResolvers<RunRecord>();
  const take = (run: RunRecord): void => {
    seen(run);
    if (isEnded(run.state)) resolve(run);
  };
  const ask = (): void => {
    api.call('run.get', { runId }).then(take, reject);
  };
  let interrupts = 0;
  const interrupted = (): void => {
    interrupts += 1;
    if (onInterrupt === 'leave') {
      process.stderr.write(`\nthe run goes on; ringlab stop ${runId} stops it\n`);
      reject(new LeftRun(runId));
      return;
    }
    if (interrupts > 2) process.exit(1);
    process.stderr.write(
      interrupts === 1 ? '\nstopping after this step; Ctrl+C again to force it\n' : '\nforcing\n',
    );
    api.call('run.stop', { runId }).catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
  };
  process.on('SIGINT', interrupted);
  process.on('SIGTERM', interrupted);
  const stops = [
    api.subscribe((event) => {
      progress.onEvent(event);
      if (event.name === 'run.changed' && event.data.run.id === runId) take(event.data.run);
    }),
    session.onResync(ask),
  ];
  try {
    // What happened between the first answer and the subscription.
    ask();
    return await Promise.race([promise, session.broken]);
  } finally {
    for (const stop of stops) stop();
    progress.end();
    process.off('SIGINT', interrupted);
    process.off('SIGTERM', interrupted);
  }
}
