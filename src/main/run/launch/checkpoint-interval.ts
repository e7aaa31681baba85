/**
 * How often a run that restarts by itself saves a checkpoint within an epoch, where its experiment does not say: Young's and
 * Daly's first-order optimum √(2 · C · M) of the time C that a save costs and the mean time M between failures.
 */
import { metricNumber, rankSource, type MetricLine } from '../../../shared/metrics/metrics.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { tookOf } from '../../../shared/run/took.ts';
import type { Store } from '../../store/index.ts';

/** Seconds for which training stands still, and until a save is on the disk, where neither was measured yet. */
const assumedStall = 0.5;
const assumedWriting = 2;
/** One failure a day and node: what large clusters report is rarer, and rented machines are often taken away. */
const nodeSeconds = 86_400;

/** Seconds. Saves run beside training: more often than this, they would take its processor time and disk. */
const minInterval = 10;
/** Writing takes at most this share of the time. */
const writingShare = 0.1;
/** Nobody wants to lose more, however rare failures are. */
const maxInterval = 900;

interface SaveCost {
  readonly stall: number;
  readonly writing: number;
}

const median = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** What saves of this run cost so far. @param lines of kind `checkpoint`, of rank 0 */
export function saveCost(lines: readonly MetricLine[]): SaveCost {
  const of = (field: string): number[] =>
    lines
      .filter((line) => line.file === 'checkpoint')
      .flatMap((line) => metricNumber(line[field]) ?? [])
      .filter((seconds) => Number.isFinite(seconds) && seconds >= 0);
  return {
    stall: median(of('stall_seconds')) ?? assumedStall,
    writing: median(of('seconds')) ?? assumedWriting,
  };
}

/**
 * Whole seconds.
 * @param failures how many the run has had in `trained` seconds
 */
export function checkpointInterval(
  { stall, writing }: SaveCost,
  run: { readonly nodes: number; readonly failures: number; readonly trained: number },
): number {
  const assumed = nodeSeconds / Math.max(1, run.nodes);
  const between = run.failures === 0 ? assumed : Math.min(assumed, Math.max(1, run.trained) / run.failures);
  const optimum = Math.sqrt(2 * stall * between);
  const shortest = Math.max(minInterval, writing / writingShare);
  return Math.round(Math.min(maxInterval, Math.max(shortest, optimum)));
}

/** The same for the next start of a run. @param now Unix seconds */
export async function chosenInterval(
  store: Pick<Store, 'lines'>,
  run: Pick<RunRecord, 'id' | 'state' | 'startedAt' | 'endedAt' | 'pause' | 'recovery'>,
  nodes: number,
  now: number,
): Promise<number> {
  const { id: runId, recovery } = run;
  const lines = await store.lines({ runId, kinds: ['checkpoint'], source: rankSource(0), limit: 40 });
  return checkpointInterval(saveCost(lines.map(({ line }) => line)), {
    nodes,
    failures: recovery?.restarts.length ?? 0,
    trained: tookOf(run, now) ?? 0,
  });
}
