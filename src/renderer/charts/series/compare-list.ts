/** Which charts a comparison has, with a line for each run, and how each run's x is mapped to the common axis. */
import { rankSource, seriesName, type SeriesKey } from '../../../shared/metrics/metrics.ts';
import type { RunStroke } from '../../theme/index.ts';
import type { AxisChoice, FeedAxis, Range } from '../scale/axis.ts';
import type { EpochSteps } from '../scale/epoch-steps.ts';
import type { ChartLine, ChartSpec } from './chart-list.ts';
import type { OutsidePoint, Track } from './track.ts';

export interface ComparedRun {
  readonly id: string;
  /** Unix seconds that its time is counted from. */
  readonly start: number;
  /** Of the native trainer; unknown before its first rank started. */
  readonly epochs: EpochSteps | undefined;
  /** Its lines are those of an own script, not of the native trainer. */
  readonly isScript: boolean;
  /** The ranks that wrote evaluations, one after the other. */
  readonly evaluating: readonly number[];
  /** The rank whose steps are compared. */
  readonly steady: number;
}

/** One run, or a group of them as their mean. */
export interface ComparedLine {
  /** Contains no space. */
  readonly id: string;
  readonly name: string;
  readonly stroke: RunStroke;
  readonly runs: readonly ComparedRun[];
}

const rank0 = rankSource(0);
const step = (field: string): SeriesKey => ({ source: rank0, kind: 'step', field });

/** A run's series of a quantity that rank 0 writes: of other ranks, too, where they took its part. */
export const ownKeys = (
  { evaluating, steady }: ComparedRun,
  { kind, field }: Pick<SeriesKey, 'kind' | 'field'>,
): SeriesKey[] =>
  (kind === 'eval' ? evaluating : [steady]).map((rank) => ({ source: rankSource(rank), kind, field }));

/** As rank 0 writes them, which is their name for all runs. */
export const comparedKeys: readonly SeriesKey[] = [
  step('loss'),
  { source: rank0, kind: 'eval', field: 'top1' },
  step('step_seconds'),
];

/** @param id of the run or the line */
export const lineName = (id: string, series: string): string => `${id} ${series}`;

/** The native trainer's charts. */
export function compareList(compared: readonly ComparedLine[]): ChartSpec[] {
  const lines = (key: SeriesKey): ChartLine[] =>
    compared.map(({ id, name, stroke }) => ({
      key,
      name: lineName(id, seriesName(key)),
      meaning: { of: 'run', name },
      colour: stroke.colour,
      dash: stroke.dash,
      sparse: key.kind === 'eval',
    }));
  const [loss, top1, seconds] = comparedKeys.map(lines);
  const spec = (
    id: ChartSpec['id'],
    own: readonly ChartLine[] | undefined,
    more: Partial<ChartSpec>,
  ): ChartSpec => ({
    id,
    unit: 'plain',
    log: false,
    smoothable: true,
    lines: own ?? [],
    ...more,
  });
  return [
    spec('loss', loss, { log: true }),
    spec('top1', top1, { unit: 'percent', min: 0, max: 100 }),
    spec('stepTime', seconds, { unit: 'seconds', min: 0 }),
  ];
}

/** Maps a run's x to the common axis and back, so that runs of different days and epochs share one. */
export interface Laid {
  toShown(x: number): number;
  toFeed(shown: number): number;
}

/** One run's series for the charts, and where they lie on the common axis. */
export interface RunTracks {
  readonly runId: string;
  readonly x: FeedAxis;
  readonly laid: Laid;
  /** `series` is the same for the same quantity of all runs; it goes through the points of all `keys`. */
  readonly wanted: readonly { readonly series: string; readonly keys: readonly SeriesKey[] }[];
}

const asItIs: Laid = { toShown: (x) => x, toFeed: (shown) => shown };

export function layRun({ start, epochs }: ComparedRun, choice: AxisChoice): Laid {
  if (choice === 'time') return { toShown: (x) => x - start, toFeed: (shown) => shown + start };
  if (choice === 'step' || epochs === undefined) return asItIs;
  return { toShown: (step) => epochs.epochAt(step), toFeed: (epoch) => epochs.stepAt(epoch) };
}

/** What a run's feed is asked for where the common axis shows `range`. */
export const feedRange = ({ toFeed }: Laid, range: Range | undefined): Range | undefined =>
  range && { from: toFeed(range.from), to: toFeed(range.to) };

/** The native trainer's series of the runs. */
export const trainerTracks = (runs: readonly ComparedRun[], choice: AxisChoice): RunTracks[] =>
  runs.map((run) => ({
    runId: run.id,
    x: choice === 'time' ? 't' : 'step',
    laid: layRun(run, choice),
    wanted: comparedKeys.map((key) => ({ series: seriesName(key), keys: ownKeys(run, key) })),
  }));

export function layTrack(track: Track, { toShown }: Laid): Track {
  const outside = (point: OutsidePoint | undefined) => point && { x: toShown(point.x), y: point.y };
  return { ...track, x: track.x.map(toShown), before: outside(track.before), after: outside(track.after) };
}
