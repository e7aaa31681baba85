/** A run's events as marks on its charts, and the step at which each happened. Pure functions. */
import { metricNumber, rankSource, type Point } from '../../../shared/metrics/metrics.ts';
import { syncChangeOf, type SyncChange } from '../../../shared/metrics/sync-change.ts';
import type { WireError } from '../../../shared/base/errors.ts';
import { firstMembers, membershipOf, type Members, type Membership } from '../../../shared/run/membership.ts';
import type { Restart } from '../../../shared/run/recovery.ts';
import type { RankRecord, RunEvent, RunPin } from '../../../shared/run/run.ts';
import type { PassedLimit } from '../../../shared/metrics/value-watch.ts';
import { reachedBy, timelineOf, timelineThrough, type Timeline } from '../../../shared/metrics/timeline.ts';

export type MarkKind =
  | 'checkpoint'
  | 'best'
  | 'resume'
  | 'failed'
  | 'restarted'
  | 'fewer'
  | 'lost'
  | 'back'
  | 'link'
  | 'sync'
  | 'passed'
  | 'disk'
  | 'warning'
  | 'error';

type MarkedRanks = readonly Pick<RankRecord, 'rank' | 'nodeName'>[];

export interface Mark {
  readonly kind: MarkKind;
  /** Unix seconds. */
  readonly t: number;
  readonly step: number | undefined;
  /** A node, a link and its change, an epoch, or a warning's text. */
  readonly what: string;
  /** The limit and the value of `passed`. */
  readonly passed?: PassedLimit | undefined;
  /** Of `failed`: why the run restarts. Of `restarted`: where it went on, and what is done again. */
  readonly error?: WireError | undefined;
  readonly resumed?: Restart['resumed'];
  /** Of `fewer`: which ranks were lost, and which go on. */
  readonly membership?: Membership | undefined;
  /** Of the run, for the names of nodes. */
  readonly ranks?: MarkedRanks | undefined;
  /** Of `sync`: the modes before and after, and why. */
  readonly change?: SyncChange | undefined;
}

/**
 * The timeline of a run by its marked lines, which are at the ends of epochs, and within epochs by the newest step and by
 * where attempts failed.
 * @param points with the newest `step` line of who has rank 0's part
 */
export const runTimeline = (
  points: readonly Point[],
  members: Members,
  restarts: readonly Restart[] = [],
): Timeline =>
  timelineThrough([
    ...reachedBy(points, firstMembers(members).map(rankSource)),
    ...restarts.flatMap(({ trained, step }) => (trained === undefined ? [] : [{ t: trained.to, step }])),
  ]);

/** Oldest first. A save writes many files: only rank 0's checkpoint becomes a mark. */
export function marksOf(
  points: readonly Point[],
  events: readonly RunEvent[],
  restarts: readonly Restart[] = [],
  ranks: MarkedRanks = [],
  timeline: Timeline = timelineOf(points),
): Mark[] {
  const marks: Mark[] = events.map(({ t, kind, what, passed }) => ({
    t,
    kind,
    what,
    passed,
    step: timeline.stepAt(t),
  }));
  for (const { t, step, error, resumed } of restarts) {
    marks.push({ t, kind: 'failed', step, what: error.where ?? '', error });
    if (resumed !== undefined)
      marks.push({ t: resumed.t, kind: 'restarted', step: resumed.step, what: '', resumed });
  }
  const restartedAt = new Set(restarts.map(({ resumed }) => resumed?.t));
  let starts = 0;
  /** Every rank that is left writes the same. */
  let generation = 0;
  let first = 0;
  for (const { source, line } of points) {
    const step = metricNumber(line.step);
    const [text = ''] = [line.message, line.code].filter((one) => typeof one === 'string');
    if (line.kind === 'warning' || line.kind === 'error') {
      // A machine without GPUs reports this at every start: it is not an event of the run.
      if (line.code !== 'no_nvml')
        marks.push({ t: line.t, kind: line.kind, step: step ?? timeline.stepAt(line.t), what: text });
    } else if (line.kind === 'membership') {
      const membership = membershipOf(line);
      if (membership === undefined || membership.generation <= generation) continue;
      ({ generation } = membership);
      first = membership.ranks[0] ?? first;
      marks.push({ t: line.t, kind: 'fewer', step, what: '', membership, ranks });
    } else if (line.kind === 'start' && source === rankSource(0)) {
      starts += 1;
      // All ranks are there again.
      generation = 0;
      first = 0;
      if (starts > 1 && !restartedAt.has(line.t))
        marks.push({ t: line.t, kind: 'resume', step: metricNumber(line.start_step), what: '' });
    } else if (source !== rankSource(first)) continue;
    else if (line.kind === 'checkpoint' && line.file === 'checkpoint') {
      const epoch = metricNumber(line.epoch);
      marks.push({
        t: line.t,
        kind: line.best === true ? 'best' : 'checkpoint',
        step,
        what: epoch === undefined ? '' : String(epoch),
      });
    } else if (line.kind === 'sync_change') {
      const change = syncChangeOf(line);
      if (change !== undefined) marks.push({ t: line.t, kind: 'sync', step, what: change.to, change });
    }
  }
  return marks.sort((a, b) => a.t - b.t);
}

/** Where a new pin lies: only what the user pointed at, since the other coordinate is better known later. */
export const pinnedAt = (x: 'step' | 't', at: number): Pick<RunPin, 't' | 'step'> =>
  x === 't' ? { t: at } : { step: Math.round(at) };

/** Where a mark or a pin lies on the feed's axis; undefined if that is unknown. */
export const markX = (
  mark: Pick<Mark, 't' | 'step'> | Pick<RunPin, 't' | 'step'>,
  x: 'step' | 't',
  timeline: Timeline,
): number | undefined =>
  x === 't'
    ? (mark.t ?? (mark.step === undefined ? undefined : timeline.timeAt(mark.step)))
    : (mark.step ?? (mark.t === undefined ? undefined : timeline.stepAt(mark.t)));

export interface Placed<T> {
  readonly x: number;
  readonly marks: readonly T[];
}

/** Joins marks that would overlap. @param least minimum distance in the units of x */
export function cluster<T extends { readonly x: number }>(placed: readonly T[], min: number): Placed<T>[] {
  const clusters: { x: number; marks: T[] }[] = [];
  for (const one of placed.toSorted((a, b) => a.x - b.x)) {
    const last = clusters.at(-1);
    if (last !== undefined && one.x - last.x < min) last.marks.push(one);
    else clusters.push({ x: one.x, marks: [one] });
  }
  return clusters;
}
