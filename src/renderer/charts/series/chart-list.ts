/** Which charts a run has, and which series each draws. */
import { rankSource, seriesName, type SeriesKey } from '../../../shared/metrics/metrics.ts';
import { scalarName, type scalarField } from '../../../shared/run/run-outputs.ts';
import { absencesOf } from '../../../shared/run/membership.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { seriesColour } from '../../../shared/base/series-colour.ts';
import type { Unit } from '../../ui/index.ts';

export const chartIds = [
  'loss',
  'top1',
  'top5',
  'throughput',
  'stepTime',
  'bytesSent',
  'learningRate',
] as const;
export type ChartId = (typeof chartIds)[number];

/** A chart of one scalar: its field. */
export type ScalarId = ReturnType<typeof scalarField>;
export const isScalarId = (id: ChartId | ScalarId): id is ScalarId => scalarName(id) !== undefined;

/** What a line is, for its name in the legend. */
type LineMeaning =
  | { readonly of: 'rank'; readonly rank: number; readonly node: string }
  | { readonly of: 'run'; readonly name: string }
  | { readonly of: 'mean'; readonly count: number }
  | { readonly of: 'validation' | 'learningRate' | StepPart };
/** The parts of a step's time; hidden communication is a part of computing. */
type StepPart = 'data' | 'compute' | 'communication' | 'hidden';

/** Between two points of a series: in steps, and Unix seconds. */
interface Break {
  readonly step: number;
  readonly t: number;
}

export interface ChartLine {
  readonly key: SeriesKey;
  readonly name: string;
  readonly meaning: LineMeaning;
  readonly colour: string;
  readonly dash?: string | undefined;
  /** Few points that all matter: drawn with dots, never smoothed. */
  readonly sparse: boolean;
  /** The ranks that this line is the mean of; a band from minimum to maximum lies behind it. */
  readonly bandOf?: readonly SeriesKey[] | undefined;
  /** Where the line is interrupted: the rank was lost there, and the others went on. */
  readonly breaks?: readonly Break[] | undefined;
  /** The series that this line goes through, one after the other. */
  readonly joinedOf?: readonly SeriesKey[] | undefined;
}

export interface ChartSpec {
  readonly id: ChartId | ScalarId;
  readonly unit: Unit;
  readonly min?: number;
  readonly max?: number;
  /** May be drawn on a logarithmic axis. */
  readonly log: boolean;
  /** Noisy enough for a moving average. */
  readonly smoothable: boolean;
  readonly lines: readonly ChartLine[];
}

/** The maximum number of distinguishable curves: only the first ranks are drawn, and the legend says so. */
export const maxRanksDrawn = 12;

/** Ranks of one node share its colour and differ by their dashes. */
const dashes = [undefined, '5 3', '2 2', '8 3 2 3'] as const;

export interface RankChoice {
  readonly rank: number;
  readonly nodeName: string;
  readonly colour: string;
  readonly dash: string | undefined;
  /** Absent: none. */
  readonly breaks?: readonly Break[] | undefined;
}

export function ranksOf(run: Pick<RunRecord, 'ranks' | 'lab' | 'memberships' | 'recovery'>): RankChoice[] {
  const absences = absencesOf(run);
  const breaksOf = (rank: number): Break[] =>
    absences
      .filter(({ ranks }) => ranks.includes(rank))
      // After its last step, which is one less than those that were completed.
      .map(({ step, from }) => ({ step: step - 0.5, t: from }));
  const indexOf = new Map(run.lab.nodes.map((node, index) => [node.id, index]));
  return run.ranks.map((rank) => ({
    rank: rank.rank,
    nodeName: rank.nodeName,
    colour: seriesColour(indexOf.get(rank.nodeId) ?? rank.rank),
    dash: dashes[rank.localRank % dashes.length],
    breaks: breaksOf(rank.rank),
  }));
}

/** `band`: all ranks as their mean, with a band from minimum to maximum. */
export type ShownRanks = number | 'all' | 'band';
/** The maximum number of series in a request: beyond it, a band is over the first ranks. */
const maxRanksBanded = 128;

/**
 * @param chosen one rank, all (up to `maxRanksDrawn`), or their band
 * @param own the run's colour, for lines that belong to no single rank
 * @param evaluating the ranks that wrote evaluations: rank 0, and who took its part when it was lost
 */
export function chartList(
  ranks: readonly RankChoice[],
  chosen: ShownRanks,
  own = 'var(--rl-accent)',
  evaluating: readonly number[] = [0],
): ChartSpec[] {
  const drawn = chosen === 'all' ? ranks.slice(0, maxRanksDrawn) : ranks.filter((one) => one.rank === chosen);
  const focus = typeof chosen === 'number' ? chosen : 0;
  const line = (
    key: SeriesKey,
    meaning: LineMeaning,
    colour: string,
    more?: Partial<ChartLine>,
  ): ChartLine => ({
    key,
    name: seriesName(key),
    meaning,
    colour,
    sparse: false,
    ...more,
  });
  const perRank = (field: string): ChartLine[] => (chosen === 'band' ? band(field) : eachRank(field));
  const band = (field: string): ChartLine[] => {
    const bandOf = ranks
      .slice(0, maxRanksBanded)
      .map(({ rank }): SeriesKey => ({ source: rankSource(rank), kind: 'step', field }));
    const [key] = bandOf;
    if (key === undefined) return [];
    return [line(key, { of: 'mean', count: bandOf.length }, own, { name: `band/${field}`, bandOf })];
  };
  const eachRank = (field: string): ChartLine[] =>
    drawn.map(({ rank, nodeName, colour, dash, breaks }) =>
      line({ source: rankSource(rank), kind: 'step', field }, { of: 'rank', rank, node: nodeName }, colour, {
        dash,
        breaks,
      }),
    );
  const validation = (field: string): ChartLine[] => {
    const keys = evaluating.map((rank): SeriesKey => ({ source: rankSource(rank), kind: 'eval', field }));
    const [key] = keys;
    if (key === undefined) return [];
    const joined = keys.length === 1 ? {} : { name: `joined/${seriesName(key)}`, joinedOf: keys };
    return [line(key, { of: 'validation' }, 'var(--rl-text)', { sparse: true, ...joined })];
  };
  const ofFocus = (field: string, of: StepPart | 'learningRate', colour: string, dash?: string): ChartLine =>
    line({ source: rankSource(focus), kind: 'step', field }, { of }, colour, {
      dash,
      breaks: ranks.find(({ rank }) => rank === focus)?.breaks,
    });
  const percent = { unit: 'percent', min: 0, max: 100, log: false, smoothable: true } as const;
  return [
    {
      id: 'loss',
      unit: 'plain',
      log: true,
      smoothable: true,
      lines: [...perRank('loss'), ...validation('loss')],
    },
    { id: 'top1', ...percent, lines: [...perRank('top1'), ...validation('top1')] },
    { id: 'top5', ...percent, lines: [...perRank('top5'), ...validation('top5')] },
    {
      id: 'throughput',
      unit: 'perSecond',
      min: 0,
      log: false,
      smoothable: true,
      lines: perRank('images_per_second'),
    },
    {
      id: 'stepTime',
      unit: 'seconds',
      min: 0,
      log: false,
      smoothable: true,
      lines: [
        ofFocus('data_seconds', 'data', seriesColour(4)),
        ofFocus('compute_seconds', 'compute', seriesColour(0)),
        ofFocus('communication_seconds', 'communication', seriesColour(1)),
        ofFocus('communication_hidden_seconds', 'hidden', seriesColour(1), '4 3'),
      ],
    },
    {
      id: 'bytesSent',
      unit: 'bytes',
      min: 0,
      log: false,
      smoothable: true,
      lines: perRank('bytes_sent'),
    },
    {
      id: 'learningRate',
      unit: 'plain',
      min: 0,
      log: false,
      smoothable: false,
      lines: [ofFocus('lr', 'learningRate', own)],
    },
  ];
}
