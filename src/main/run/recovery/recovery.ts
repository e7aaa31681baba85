/**
 * Recovery of one run. Supervisors on the nodes lead where there are some: they restart it, and this only records what
 * they did. Otherwise, and where they have ended: after its ranks have ended, decides whether it starts again, waits until it can, and records
 * what was lost. The start itself is the same as that of `run.resume`.
 */
import { isAway } from '../../../shared/base/away.ts';
import { backOffMs } from '../../../shared/base/back-off.ts';
import { isCancelled, type WireError } from '../../../shared/base/errors.ts';
import { rankSource, type Point } from '../../../shared/metrics/metrics.ts';
import {
  countedRestarts,
  pendingRestart,
  type NoRestart,
  type Recovery as RecoveryRecord,
  type RecoveryWait,
} from '../../../shared/run/recovery.ts';
import { isOnMachines, lostRankOf } from '../../../shared/run/membership.ts';
import type { RunRecord, RunState } from '../../../shared/run/run.ts';
import { secondsNow } from '../../base/clock.ts';
import { createSerialQueue } from '../../base/serial-queue.ts';
import { endedRanks } from '../record/ended-ranks.ts';
import type { RecordKeeper } from '../record/record.ts';
import type { RunServices } from '../record/services.ts';
import { awaitNodes, waitingFor } from './await-nodes.ts';
import { isSupervised, lastSeqsAt, supervisorLines, withSupervised } from './supervised.ts';
import type { Failure } from './cause.ts';
import { decide, withRestart } from './policy.ts';
import { withReplacements } from './replacement.ts';
import { isScriptStep, scriptResumption } from './script-resumption.ts';
import { failedAttempt, resumption } from './work-lost.ts';

export interface RecoveryParts {
  readonly services: RunServices;
  readonly keeper: RecordKeeper;
}

export interface Recovery {
  /** Records what supervisors on the nodes have done so far, as far as their lines are stored. */
  catchUp(): Promise<void>;
  /**
   * Called where all ranks have ended, or could not be started. True: the run is `recovering` now, and `wait` comes next.
   * False: it ends; why it does not start again is in its record.
   */
  after(state: RunState, failure: Failure | undefined, during: 'training' | 'start'): Promise<boolean>;
  /** Resolves when the run can start again. Rejects with `cancelled`, or with the error of a node that never came back. */
  wait(signal: AbortSignal): Promise<void>;
  /** Called before the ranks start: what supervisors have said so far is of earlier attempts. */
  begins(): Promise<void>;
  close(): void;
}

/** Without its detail, the last words of a process: the rank's record has them while it matters. */
const brief = ({ code, params, where }: WireError): WireError => ({ code, params, where });

export function createRecovery({ services, keeper }: RecoveryParts): Recovery {
  const { store, clock, events, settings } = services;
  /** Starts of the current restart that found a node unreachable. */
  let away = 0;

  const changeRecovery = (change: (recovery: RecoveryRecord) => RecoveryRecord): Promise<RunRecord> =>
    keeper.change((run) => ({ ...run, recovery: change(run.recovery ?? { restarts: [] }) }));
  const end = async (why: NoRestart): Promise<false> => {
    await changeRecovery((recovery) => ({ ...recovery, waiting: undefined, ended: why }));
    return false;
  };
  /** @param tries how many restarts before it were in vain */
  const recover = async (tries: number, change: (run: RunRecord) => RunRecord): Promise<boolean> => {
    const pauseMs = backOffMs(tries, settings.restart, clock.random());
    const run = await keeper.change((before) => {
      // The user stopped it meanwhile.
      if (before.state === 'stopping') return before;
      const ranks = endedRanks(before.ranks);
      const next = change(withReplacements({ ...before, state: 'recovering', ranks, unreachable: {} }));
      const since = secondsNow(clock);
      const waiting: RecoveryWait = { for: 'backOff', names: [], since, until: since + pauseMs / 1000 };
      return waitingFor(next, pauseMs > 0 ? waiting : undefined);
    });
    return run.state === 'recovering';
  };
  /** Records what was lost, where training has gone on. */
  const noteResumption = async (): Promise<void> => {
    const { id, recovery, lab } = keeper.current;
    const restarts = recovery?.restarts ?? [];
    for (const [index, pending] of restarts.entries()) {
      const next = restarts[index + 1];
      // While the app was away, supervisors may have restarted the run several times.
      if (pending.resumed !== undefined || (next !== undefined && pending.by === undefined)) continue;
      const resumed =
        lab.experiment.script === undefined
          ? await resumption(store, id, pending, next?.seq)
          : await scriptResumption(store, id, pending);
      if (resumed === undefined) continue;
      away = 0;
      await changeRecovery((now) => ({
        ...now,
        restarts: now.restarts.map((one) => (one.t === pending.t ? { ...one, resumed } : one)),
      }));
    }
  };
  const catchUp = async (): Promise<void> => {
    if (!isSupervised(keeper.current)) return;
    const lines = await supervisorLines(store, keeper.current);
    await keeper.change((run) => withSupervised(run, lines));
    await noteResumption();
  };
  const inTurn = createSerialQueue();
  const unsubscribe = events.subscribe((event) => {
    if (event.name !== 'run.points' || event.data.runId !== keeper.current.id) return;
    const { points, truncated } = event.data;
    const isSaid = ({ line }: Point): boolean => line.kind === 'restart' || line.kind === 'restart_wait';
    const isScript = keeper.current.lab.experiment.script !== undefined;
    const isStart = ({ source, line }: Point): boolean =>
      source === rankSource(0) && (isScript ? isScriptStep(line) : line.kind === 'start');
    const { recovery } = keeper.current;
    const begins = pendingRestart(recovery) !== undefined || recovery?.waiting !== undefined;
    // Where it fails, the next failure of the run notes it.
    if (
      isSupervised(keeper.current) &&
      (truncated || points.some(isSaid) || (begins && points.some(isStart)))
    )
      void inTurn(catchUp).catch(() => undefined);
    else if (begins && (truncated || points.some(isStart)))
      void inTurn(noteResumption).catch(() => undefined);
  });
  return {
    catchUp: () => inTurn(catchUp),
    async after(state, failure, during) {
      await inTurn(catchUp);
      await inTurn(noteResumption);
      const run = keeper.current;
      // The ranks that were left have stopped for it: a node that went away again is waited for.
      if (run.recovery?.rejoins === true && failure !== undefined && isAway(failure.error)) {
        away += 1;
        return await recover(away, (before) => before);
      }
      if (!restartsAll(run) || failure === undefined) return false;
      // Its supervisors have given it up, by the same rules.
      if (run.recovery?.ended !== undefined) return false;
      // A lost run was given up by the user, or after a day.
      if (run.state === 'stopping' || (state !== 'failed' && state !== 'interrupted')) return false;
      if (during === 'start') {
        // The user who starts a run sees at once why it cannot start. The ranks that stopped for others go on.
        if (!isRecovery(run)) return false;
        if (isAway(failure.error)) {
          away += 1;
          return await recover(away, (before) => before);
        }
      }
      const failed = await failedAttempt(store, run, brief(failure.error), secondsNow(clock));
      const decision = decide(run, failed, failure.own);
      if (!decision.restart) return await end(decision.why);
      return await recover(decision.tries, (before) => ({
        ...withRestart(before, failed),
        error: failure.error,
      }));
    },
    async wait(signal) {
      const { until = 0 } = keeper.current.recovery?.waiting ?? {};
      // The clock may have been set meanwhile.
      const pauseMs = Math.min(settings.restart.maxMs, 1000 * (until - secondsNow(clock)));
      if (pauseMs > 0) await clock.sleep(pauseMs, signal);
      try {
        await awaitNodes({ services, keeper, signal });
      } catch (error) {
        if (!isCancelled(error)) await end('away');
        throw error;
      }
      await keeper.change((run) => waitingFor(run, undefined));
    },
    async begins() {
      const lastSeqs = await lastSeqsAt(secondsNow(clock), store, keeper.current);
      if (lastSeqs !== undefined) await changeRecovery((recovery) => ({ ...recovery, lastSeqs }));
    },
    close: unsubscribe,
  };
}

/** Where ranks go on without others, all start again once too few are left, or one is lost before all have begun. */
const restartsAll = (run: RunRecord): boolean =>
  lostRankOf(run) === 'restart' || (lostRankOf(run) === 'continue' && isOnMachines(run.lab.experiment));

/** Whether the attempt in progress was started by a recovery, or for lost ranks to rejoin: it goes on without the user. */
export const isRecovery = ({ recovery }: RunRecord): boolean => {
  if (recovery?.rejoins === true) return true;
  const pending = pendingRestart(recovery);
  return pending !== undefined && countedRestarts(recovery).includes(pending);
};
