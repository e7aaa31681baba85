/** What a failed attempt had done, and how much of it is done again, from rank 0's lines and, where others saved without it, theirs. */
import { metricNumber, rankSource, type MetricLine } from '../../../shared/metrics/metrics.ts';
import type { WireError } from '../../../shared/base/errors.ts';
import { attemptsOf, type Restart } from '../../../shared/run/recovery.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { Store } from '../../store/index.ts';
import { storedCount } from '../record/progress.ts';

/** Checkpoints of which the newest are looked through for the one that was resumed, and starts. Of all ranks each save has a line of each. */
const checkpointsRead = 200;
const startsRead = 250;

type Lines = Pick<Store, 'lines'>;

const newest = async (store: Lines, runId: string, kinds: string[], limit: number): Promise<MetricLine[]> =>
  (await store.lines({ runId, kinds, source: rankSource(0), limit })).map(({ line }) => line);
/** Of all ranks: those that are left when one is lost save, and that one may be rank 0. */
const saves = async (store: Lines, runId: string, ranks: number): Promise<MetricLine[]> => {
  const limit = checkpointsRead + 2 * ranks;
  return (await store.lines({ runId, kinds: ['checkpoint'], limit })).map(({ line }) => line);
};

/** The file of a set that is renamed last: with it the set is whole. */
const isWhole = (line: MetricLine): boolean => line.file === 'checkpoint';
const stepOf = (line: MetricLine | undefined, name: 'step' | 'start_step'): number =>
  storedCount(line?.[name]);
/** 0 where the line says no time. */
const savingSeconds = (checkpoint: MetricLine): number => {
  const seconds = metricNumber(checkpoint.seconds) ?? 0;
  return Number.isFinite(seconds) ? seconds : 0;
};

const ofRank0 = [
  'start',
  'step',
  'checkpoint',
  'eval',
  'epoch',
  'end',
  'error',
  'warning',
  'restart',
  'restart_wait',
];

/** What the record of a failure takes from the lines. @param ranks how many write */
export async function reached(
  store: Lines,
  runId: string,
  ranks: number,
): Promise<Pick<Restart, 'from' | 'seq' | 'trained'>> {
  const [starts, steps, checkpoints, all] = await Promise.all([
    newest(store, runId, ['start'], 1),
    newest(store, runId, ['step'], 1),
    saves(store, runId, ranks),
    newest(store, runId, ofRank0, 1),
  ]);
  const [start] = starts;
  const [step] = steps;
  const checkpoint = checkpoints.findLast(isWhole);
  const trained =
    start === undefined || step === undefined || step.seq < start.seq
      ? undefined
      : { from: start.t, to: Math.max(start.t, step.t) };
  return {
    from: Math.max(stepOf(checkpoint, 'step'), stepOf(start, 'start_step')),
    seq: all[0]?.seq ?? -1,
    ...(trained === undefined ? {} : { trained }),
  };
}

/** The record of the run's attempt that has failed. @param t Unix seconds */
export const failedAttempt = async (
  store: Lines,
  run: RunRecord,
  error: WireError,
  t: number,
): Promise<Restart> => ({
  attempt: attemptsOf(run),
  t,
  error,
  step: run.step,
  ...(await reached(store, run.id, run.ranks.length)),
});

/**
 * Where training went on after a failure; undefined where rank 0 has not begun again.
 * @param until `seq` of the next failure: what began after it went on after that one
 */
export async function resumption(
  store: Lines,
  runId: string,
  { seq, step, trained }: Pick<Restart, 'seq' | 'step' | 'trained'>,
  until = Infinity,
): Promise<Restart['resumed']> {
  const starts = await newest(store, runId, ['start'], startsRead);
  const start = starts.find((line) => line.seq > seq && line.seq < until);
  if (start === undefined) return undefined;
  const at = stepOf(start, 'start_step');
  const lostSteps = Math.max(0, step - at);
  if (trained === undefined || lostSteps === 0) return { t: start.t, step: at, lostSteps, lostSeconds: 0 };
  const checkpoint = (await newest(store, runId, ['checkpoint'], checkpointsRead)).findLast(
    (line) => isWhole(line) && line.seq <= seq && stepOf(line, 'step') === at,
  );
  // The state is copied at the beginning of a save, and its line is written at the end.
  const copied = checkpoint === undefined ? trained.from : checkpoint.t - savingSeconds(checkpoint);
  const lostSeconds = Math.max(0, trained.to - Math.max(trained.from, copied));
  return { t: start.t, step: at, lostSteps, lostSeconds };
}
