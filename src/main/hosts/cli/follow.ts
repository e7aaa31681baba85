/** Follows a run to its end, with its progress on standard error. */
import { heldText } from '../../../shared/run/held-text.ts';
import { isEnded, shownState, type RunRecord, type RunState } from '../../../shared/run/run.ts';
import { toWireError } from '../../../shared/base/errors.ts';
import { errorLines } from '../../../shared/i18n/error-texts.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { liveLines } from '../terminal-door.ts';
import { showScriptLog } from './script-log.ts';
import { sayScriptWaits } from './script-waits.ts';
import { showProgress } from './progress.ts';
import type { Session } from './session.ts';
import { language, speak } from './speak.ts';

/** Behaviour on Ctrl+C: `stop` stops the run (SIGTERM, then SIGKILL, then leaves it); `leave` leaves it at once. */
export type OnInterrupt = 'stop' | 'leave';

/** The user left the run running. */
export class LeftRun extends Error {}

/** A signal to the whole process group, or Ctrl+C, arrives once more from each launcher before this process (npm's, ours). */
const sameMs = 500;

export interface Interrupts {
  /** Called with the number of interrupts, including earlier ones. Returns a function that unsubscribes. */
  listen(listener: (count: number) => void): () => void;
  end(): void;
}

/**
 * Handles Ctrl+C and SIGTERM, also while one app has ended and the next has not started. The third one ends the
 * process.
 */
export function watchInterrupts(clock: Pick<Clock, 'ticks'> = systemClock): Interrupts {
  let count = 0;
  let reported = 0;
  let lastAt = -Infinity;
  let listener: ((count: number) => void) | undefined;
  const notify = (): void => {
    if (listener === undefined || reported === count) return;
    reported = count;
    listener(count);
  };
  const interrupted = (): void => {
    if (clock.ticks() - lastAt < sameMs) return;
    lastAt = clock.ticks();
    count += 1;
    if (count > 2) process.exit(1);
    notify();
  };
  process.on('SIGINT', interrupted);
  process.on('SIGTERM', interrupted);
  return {
    listen(next) {
      listener = next;
      notify();
      return () => {
        listener = undefined;
      };
    },
    end() {
      process.off('SIGINT', interrupted);
      process.off('SIGTERM', interrupted);
    },
  };
}

/** Nothing is prepared or sent: the run needs no app. */
const trains: ReadonlySet<RunState> = new Set(['running', 'waiting', 'recovering']);

/** Why it is held, with the id of the run since whose end. */
async function heldWords(api: Session['api'], { heldBy = '' }: RunRecord): Promise<string> {
  const holder = await api.call('run.get', { runId: heldBy }).catch(() => undefined);
  return heldText(holder && { name: holder.id, state: holder.state }, language);
}

/** @param seen called each time the run has changed */
export async function followRun(
  session: Pick<Session, 'api' | 'broken' | 'concerns' | 'mayLeave' | 'onResync' | 'startWaiting'>,
  runId: string,
  interrupts: Interrupts,
  what: OnInterrupt,
  seen: (run: RunRecord) => void = () => undefined,
): Promise<RunRecord> {
  const { api } = session;
  const first = await api.call('run.get', { runId });
  session.concerns(first.labId);
  if (first.state === 'queued') {
    if (first.heldBy === undefined) process.stderr.write(`${speak('cli.follow.queued', { run: runId })}\n`);
    session.startWaiting(first.labId);
  }
  const isScript = first.lab.experiment.script !== undefined;
  const toTerminal = (text: string): void => void process.stderr.write(text);
  const progress = showProgress(first, toTerminal, process.stderr.isTTY ? liveLines : undefined);
  const log = isScript ? showScriptLog(api, runId, toTerminal) : undefined;
  const waits = isScript ? sayScriptWaits(api, first, language, toTerminal) : undefined;
  const { promise, resolve, reject } = Promise.withResolvers<RunRecord>();
  let { state } = first;
  let heldBy: string | undefined;
  const sayHeld = (run: RunRecord): void => {
    if (shownState(run) !== 'held' || run.heldBy === heldBy) return;
    ({ heldBy } = run);
    void heldWords(api, run).then((why) => progress.say(speak('cli.follow.held', { run: runId, why })));
  };
  const take = (run: RunRecord): void => {
    seen(run);
    sayHeld(run);
    ({ state } = run);
    session.mayLeave(trains.has(run.state));
    if (isEnded(run.state)) resolve(run);
  };
  const ask = (): void => {
    api.call('run.get', { runId }).then(take, reject);
  };
  const onInterrupt = (count: number): void => {
    if (what === 'leave') {
      progress.say(`\n${speak('cli.follow.continues', { run: runId })}`);
      reject(new LeftRun(runId));
      return;
    }
    const gently = speak(trains.has(state) ? 'cli.follow.stopping' : 'cli.follow.stoppingEarly');
    progress.say(`\n${count === 1 ? gently : speak('cli.follow.forcing')}`);
    api
      .call('run.stop', { runId })
      .catch((error: unknown) => progress.say(errorLines(toWireError(error), language).join('\n')));
  };
  const stops = [
    api.subscribe((event) => {
      progress.onEvent(event);
      log?.onEvent(event);
      waits?.onEvent(event);
      if (event.name === 'run.changed' && event.data.run.id === runId) take(event.data.run);
    }),
    session.onResync(ask),
    interrupts.listen(onInterrupt),
  ];
  try {
    // The run may have changed between the first answer and the subscription.
    ask();
    if (first.state === 'draft' || first.state === 'preparing') {
      const nodes = await api.call('provision.status', { lab: first.lab });
      for (const node of nodes) progress.prepared(node);
    }
    const run = await Promise.race([promise, session.broken]);
    await log?.end();
    return run;
  } finally {
    session.mayLeave(false);
    for (const stop of stops) stop();
    waits?.end();
    progress.end();
  }
}
