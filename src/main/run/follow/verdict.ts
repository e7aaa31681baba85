/** Derives a run's outcome from how its ranks ended: which rank is the cause, and the run's state. Pure. */
import { RinglabError, toWireError, type GivenParams, type WireError } from '../../../shared/base/errors.ts';
import type { MetricLine } from '../../../shared/metrics/metrics.ts';
import type { RankRecord, RankState, RunRecord, RunState } from '../../../shared/run/run.ts';
import { diagnose } from '../../provision/index.ts';
import { withRank } from '../launch/orders.ts';
import type { Exit } from '../record/launcher.ts';
import { lastWordsOf } from './log-mirror.ts';
import { phrase } from '../../i18n/index.ts';

export interface RankEnd {
  readonly rank: number;
  readonly nodeName: string;
  /**
   * `lost`: its node never came back. `vanished`: neither process nor `exit.json`. `rebooted`: its node rebooted.
   * `unstarted`: the app ended before it was started. `nonsense`: its node's data is implausible. `revoked`: the scheduler took its
   * node away.
   */
  readonly how: 'exited' | 'vanished' | 'rebooted' | 'unstarted' | 'lost' | 'nonsense' | 'revoked';
  /** Why its node is not trusted, or why the scheduler took it away. */
  readonly fault?: WireError | undefined;
  readonly exit?: Exit | undefined;
  /** The app had signalled it to stop. */
  readonly asked: boolean;
  /** The user took it out of the run, which goes on without it. */
  readonly takenOut?: boolean | undefined;
  /** It ran an own script, whose exit codes mean nothing but success and failure. */
  readonly isScript?: boolean | undefined;
  /** Its last `end` and `error` lines of this attempt. */
  readonly endLine?: MetricLine | undefined;
  readonly errorLine?: MetricLine | undefined;
  readonly lastWords: readonly string[];
}

const exitCodes = { done: 0, peerLost: 4, diverged: 5, outOfMemory: 6, stopped: 7 } as const;
/** Any other. */
const failed = 1;

const signalNames: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  15: 'SIGTERM',
};

/** What PyTorch says where a process lost the others, in Gloo, NCCL and its store. */
const saysPeerLost =
  /Connection closed by peer|Connection reset by peer|Broken pipe|ncclRemoteError|NCCL communicator was aborted|Socket Timeout|DistNetworkError|DistBackendError|failed to recv, got 0 bytes/;
const saysOutOfMemory =
  /OutOfMemoryError|CUDA out of memory|^MemoryError|DefaultCPUAllocator: can't allocate memory/m;

/** The exit code in the trainer's sense (native/PROTOCOL.md); null where a signal ended it. */
function meaningOf({ exit, isScript, asked, lastWords }: RankEnd): number | null {
  const code = exit?.code ?? null;
  if (isScript !== true || code === null || code === exitCodes.done) return code;
  if (asked) return exitCodes.stopped;
  // The error itself is the last line; what comes before may be another's, passed on.
  const said = lastWords.slice(-3).join('\n');
  if (saysOutOfMemory.test(said)) return exitCodes.outOfMemory;
  return saysPeerLost.test(said) ? exitCodes.peerLost : failed;
}

/** It stopped since its machine was being shut down, as its last line says: not because somebody stopped the run. */
const isShutDown = (end: RankEnd): boolean =>
  end.how === 'exited' &&
  !end.asked &&
  end.exit?.code === exitCodes.stopped &&
  end.endLine?.shutdown === true;

/** `cause`: failed by itself. `consequence`: lost its peers, or stopped on request. `well`: finished or stopped. */
export function roleOf(end: RankEnd): 'well' | 'consequence' | 'cause' {
  if (isShutDown(end)) return 'cause';
  if (end.how !== 'exited')
    return end.asked && (end.how === 'vanished' || end.how === 'revoked') ? 'consequence' : 'cause';
  const code = meaningOf(end);
  if (code === exitCodes.done || code === exitCodes.stopped) return 'well';
  if (code === exitCodes.peerLost) return 'consequence';
  return code === null && end.asked ? 'consequence' : 'cause';
}

export function rankStateOf(end: RankEnd): RankState {
  if (end.how === 'lost') return 'lost';
  if (end.how === 'revoked') return 'stopped';
  if (end.exit?.code === exitCodes.done) return 'done';
  if (meaningOf(end) === exitCodes.stopped || (end.asked && end.exit?.code === null)) return 'stopped';
  return 'failed';
}

/** The error with which this rank ended; undefined where it ended well. */
export function rankError(end: RankEnd, epoch: number): WireError | undefined {
  const { rank, nodeName: node, exit } = end;
  const detail = end.lastWords.length === 0 ? undefined : end.lastWords.join('\n');
  const error = (code: WireError['code'], params: GivenParams): WireError =>
    toWireError(new RinglabError(code, params, { where: node, detail }));
  if (end.how === 'rebooted')
    return error('run_interrupted', { reason: phrase('reasons.run.restarted', { node }), epoch });
  if (end.how === 'unstarted') return error('run_interrupted', { reason: unstarted, epoch });
  if (isShutDown(end))
    return error('run_interrupted', { reason: phrase('reasons.run.shutDown', { node }), epoch });
  if (end.how === 'revoked' && end.asked) return undefined;
  if (end.fault !== undefined) return { ...end.fault, where: node };
  if (end.how !== 'exited' || exit === undefined) return error('rank_lost', { rank, node, epoch });
  if (exit.code === null) {
    if (exit.outOfMemory) return error('rank_out_of_memory', { rank, node });
    // The signal was ours.
    if (end.asked) return undefined;
    const signal = exit.signal ?? 0;
    return error('rank_killed', { rank, node, signal: signalNames[signal] ?? String(signal) });
  }
  const shown = text(end.errorLine?.message) ?? end.lastWords.at(-1) ?? '';
  switch (meaningOf(end) ?? failed) {
    case exitCodes.done:
    case exitCodes.stopped:
      return undefined;
    case exitCodes.peerLost:
      return error('peer_lost', { rank, node, said: shown });
    case exitCodes.diverged:
      return error('diverged', { rank, step: numberOr(end.errorLine?.step, numberOr(end.endLine?.step, 0)) });
    case exitCodes.outOfMemory:
      return error('rank_out_of_memory', { rank, node });
    default: {
      const advice = text(end.errorLine?.hint) ?? phrase('reasons.run.readLines');
      return error('rank_failed', { rank, node, code: exit.code, said: shown, advice });
    }
  }
}

/** Maximum length of a message in the run's record. */
const longestSaid = 2000;
const unstarted = phrase('reasons.run.unstarted');

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? lastWordsOf(value).join('\n').slice(0, longestSaid) : undefined;
/** The run's record holds finite numbers. */
const numberOr = (value: unknown, other: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : other;

const isInterruption = (end: RankEnd): boolean =>
  isShutDown(end) ||
  end.how === 'rebooted' ||
  end.how === 'unstarted' ||
  (end.how === 'revoked' && !end.asked);

/**
 * The run's error: that of the first rank that failed by itself; without one, of the first that lost its peers. A
 * node's reboot, or the end of the app, explains all others.
 * @param ends in the order in which they were observed
 */
export function failureOf(ends: readonly RankEnd[], epoch: number): WireError | undefined {
  const end = firstToFail(ends);
  return end === undefined ? undefined : rankError(end, epoch);
}

const firstToFail = (ends: readonly RankEnd[]): RankEnd | undefined =>
  ends.find(isInterruption) ??
  ends.find((candidate) => roleOf(candidate) === 'cause') ??
  ends.find((candidate) => meaningOf(candidate) === exitCodes.peerLost);

/** The code of the trainer's own error line, of the rank whose error is the run's. */
export const ownCodeOf = (ends: readonly RankEnd[]): string | undefined =>
  text(firstToFail(ends)?.errorLine?.code);

/** The processes that failed by themselves, were taken out, or lost their peers before they were asked to stop. */
export const failures = (ends: readonly RankEnd[]): readonly RankEnd[] =>
  ends.filter(
    (end) =>
      end.takenOut === true || roleOf(end) === 'cause' || (roleOf(end) === 'consequence' && !end.asked),
  );

/**
 * The ends that decide the outcome. Where enough processes ended well or on request for the run to go on without the
 * others (`fewestProcesses`), the others' failures do not count.
 */
export function deciding(ends: readonly RankEnd[], fewest: number): readonly RankEnd[] {
  const failed = new Set(failures(ends));
  return ends.length - failed.size >= fewest ? ends.filter((end) => !failed.has(end)) : ends;
}

/** Failures that the doctor recognises in a rank's last lines. */
function recognised(words: readonly string[]): Pick<RankRecord, 'diagnoses'> {
  const found = diagnose(words.join('\n')).slice(0, 5);
  return found.length === 0 ? {} : { diagnoses: found };
}

/** The run with how this rank ended. */
export function withEnd(run: RunRecord, end: RankEnd): RunRecord {
  const { rank, exit, lastWords: words } = end;
  const error = rankError(end, run.epochsCompleted);
  return withRank(run, rank, (before) => ({
    ...before,
    state: rankStateOf(end),
    ...(exit === undefined ? {} : { exit: { code: exit.code, signal: exit.signal, t: exit.t } }),
    ...(error === undefined ? {} : { error }),
    ...(error === undefined || words.length === 0 ? {} : { lastWords: [...words], ...recognised(words) }),
  }));
}

/** The run with all these ends, those that could not be stored when they were seen among them. */
export const withEnds = (run: RunRecord, ends: readonly RankEnd[]): RunRecord =>
  ends.filter((end) => run.ranks[end.rank]?.state !== rankStateOf(end)).reduce(withEnd, run);

export interface Verdict {
  readonly state: Extract<RunState, 'finished' | 'stopped' | 'failed' | 'interrupted' | 'lost'>;
  readonly error: WireError | undefined;
}

/**
 * The final state of a run whose ranks have all ended.
 * @param ends in the order in which they were observed, one for each rank that counts (`deciding`)
 */
export function verdict(
  ends: readonly RankEnd[],
  run: { epochs: number; epochsCompleted: number; stopAsked: boolean },
): Verdict {
  const epoch = run.epochsCompleted;
  const failure = failureOf(ends, epoch);
  if (ends.some(isInterruption)) return { state: 'interrupted', error: failure };
  if (ends.every((end) => end.exit?.code === exitCodes.done)) {
    if (ends.every(({ isScript }) => isScript !== true)) return finishedOr(ends, run);
    // A script that ends well when it is asked to need not have done all its work.
    return { state: run.stopAsked ? 'stopped' : 'finished', error: undefined };
  }
  const causes = ends.filter((end) => roleOf(end) === 'cause');
  if (causes.length > 0 && causes.every((end) => end.how === 'lost'))
    return { state: 'lost', error: failure };
  if (ends.every((end) => end.how === 'vanished') && !run.stopAsked) {
    const reason = phrase('reasons.run.silent');
    return {
      state: 'interrupted',
      error: toWireError(new RinglabError('run_interrupted', { reason, epoch })),
    };
  }
  if (causes.length > 0) return { state: 'failed', error: failure };
  const peersLost = ends.some((end) => meaningOf(end) === exitCodes.peerLost);
  if (peersLost && !run.stopAsked) return { state: 'failed', error: failure };
  return { state: 'stopped', error: undefined };
}

/** Every process reported 'done': accepted only if every epoch ran. */
function finishedOr(ends: readonly RankEnd[], run: { epochs: number; epochsCompleted: number }): Verdict {
  const short = ends.find((end) =>
    end.endLine === undefined ? end.rank === 0 : end.endLine.epochs_completed !== run.epochs,
  );
  if (short === undefined) return { state: 'finished', error: undefined };
  const { rank, nodeName: node } = short;
  const shown = phrase('reasons.run.short', {
    done: numberOr(short.endLine?.epochs_completed, run.epochsCompleted),
    epochs: run.epochs,
  });
  return {
    state: 'failed',
    error: toWireError(
      new RinglabError(
        'rank_failed',
        { rank, node, code: 0, said: shown, advice: phrase('reasons.run.resume') },
        { where: node },
      ),
    ),
  };
}
