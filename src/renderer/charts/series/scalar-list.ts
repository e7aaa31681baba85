/** Which scalars of a run are listed, in which groups, and what the chart of one draws. Pure functions. */
import { rankSource, seriesName, type SeriesKey } from '../../../shared/metrics/metrics.ts';
import { scalarField, scalarKind, type RunScalar } from '../../../shared/run/run-outputs.ts';
import type { AxisChoice, FeedAxis } from '../scale/axis.ts';
import {
  maxRanksDrawn,
  type ChartLine,
  type ChartSpec,
  type RankChoice,
  type ShownRanks,
} from './chart-list.ts';

export interface ScalarGroup<T> {
  /** The first part of the names, before the `/`; empty for names without one. */
  readonly prefix: string;
  readonly scalars: readonly T[];
}
interface Named {
  readonly name: string;
}

export const prefixOf = (name: string): string => {
  const slash = name.indexOf('/');
  return slash <= 0 ? '' : name.slice(0, slash);
};

/** Names that contain every word of the text, in any order and case. */
export function findScalars<T extends Named>(scalars: readonly T[], text: string): readonly T[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return scalars;
  return scalars.filter(({ name }) => {
    const lower = name.toLowerCase();
    return words.every((word) => lower.includes(word));
  });
}

export const scalarsOfRank = (scalars: readonly RunScalar[], shown: ShownRanks): readonly RunScalar[] =>
  scalars.filter((scalar) => typeof shown !== 'number' || scalar.ranks.some(({ rank }) => rank === shown));

/** What users look at first: names without a prefix, then training, validation and test, as most scripts call them. */
const leading = [
  '',
  'train',
  'training',
  'val',
  'valid',
  'validation',
  'eval',
  'test',
  'loss',
  'acc',
  'accuracy',
];
const placeOf = (prefix: string): number => {
  const place = leading.indexOf(prefix.toLowerCase());
  return place < 0 ? leading.length : place;
};

/** The leading groups, then the others in the order of the names. */
export function groupScalars<T extends Named>(scalars: readonly T[]): ScalarGroup<T>[] {
  const groups = new Map<string, T[]>();
  for (const scalar of scalars) {
    const prefix = prefixOf(scalar.name);
    const group = groups.get(prefix) ?? [];
    group.push(scalar);
    groups.set(prefix, group);
  }
  return [...groups]
    .map(([prefix, members]) => ({ prefix, scalars: members }))
    .sort((one, other) => placeOf(one.prefix) - placeOf(other.prefix));
}

/** A script that prints once an epoch has no step: along the epoch its runs can be compared, along the time they cannot. */
export function nextBest(choice: AxisChoice, hasSteps: boolean, hasEpochs: boolean): FeedAxis {
  if (choice === 'time' || (!hasSteps && !hasEpochs)) return 't';
  if (choice === 'epoch') return hasEpochs ? 'epoch' : 'step';
  return hasSteps ? 'step' : 'epoch';
}

/** The axis that a scalar has: the chosen one if most of its points do, otherwise the next best. */
export function scalarAxis({ ranks }: RunScalar, choice: AxisChoice): FeedAxis {
  let [points, steps, epochs] = [0, 0, 0];
  for (const rank of ranks) {
    points += rank.points;
    steps += rank.steps;
    epochs += rank.epochs;
  }
  return nextBest(choice, 2 * steps > points, 2 * epochs > points);
}

/** Up to so many points are drawn as dots, and are not smoothed: each matters. */
export const fewPoints = 24;

export interface ScalarDrawing {
  readonly ranks: readonly RankChoice[];
  readonly shown: ShownRanks;
  /** The run's colour, for a line that belongs to no single rank. */
  readonly own: string;
}

/** Undefined where none of the shown ranks has the scalar. */
export function scalarSpec(scalar: RunScalar, { ranks, shown, own }: ScalarDrawing): ChartSpec | undefined {
  const field = scalarField(scalar.name);
  const key = (rank: number): SeriesKey => ({ source: rankSource(rank), kind: scalarKind, field });
  const points = new Map(scalar.ranks.map((one) => [one.rank, one.points]));
  const having = ranks.filter(
    ({ rank }) => points.has(rank) && (typeof shown !== 'number' || rank === shown),
  );
  const [first] = having;
  if (first === undefined) return undefined;
  const sparse = having.every(({ rank }) => (points.get(rank) ?? 0) <= fewPoints);
  const only = having.length === 1;
  const spec = { id: field, unit: 'plain', log: true, smoothable: true } as const;
  if (shown === 'band' && !only) {
    const bandOf = having.map(({ rank }) => key(rank));
    const line: ChartLine = {
      key: key(first.rank),
      name: `band/${field}`,
      meaning: { of: 'mean', count: bandOf.length },
      colour: own,
      sparse: false,
      bandOf,
    };
    return { ...spec, lines: [line] };
  }
  return {
    ...spec,
    lines: having.slice(0, maxRanksDrawn).map(({ rank, nodeName, colour, dash }) => ({
      key: key(rank),
      name: seriesName(key(rank)),
      meaning: { of: 'rank', rank, node: nodeName },
      colour: only ? own : colour,
      dash: only ? undefined : dash,
      sparse,
    })),
  };
}
