/**
 * The scalars of several runs under common names. A run of the native trainer has the same quantities under its own
 * names: its loss is drawn in the chart of a script's `train/loss`, too. Pure functions.
 */
import { rankSource, seriesName, type SeriesKey } from '../../../shared/metrics/metrics.ts';
import { scalarField, scalarKind, scalarsOf } from '../../../shared/run/run-outputs.ts';
import type { RequestResult } from '../../../shared/contract/api.ts';
import type { AxisChoice, FeedAxis } from '../scale/axis.ts';
import type { ChartSpec } from './chart-list.ts';
import {
  layRun,
  lineName,
  ownKeys,
  type ComparedLine,
  type ComparedRun,
  type RunTracks,
} from './compare-list.ts';
import { fewPoints, nextBest } from './scalar-list.ts';

export type Catalogue = RequestResult<'metrics.catalogue'>;
export type Catalogues = ReadonlyMap<string, Catalogue>;

/** A run's series of a quantity, and how many of its points have a step, and an epoch. */
interface OfRun {
  /** Of the trainer as rank 0 writes it. */
  readonly key: SeriesKey;
  /** All that the run has it in, one after the other. */
  readonly keys: readonly SeriesKey[];
  readonly points: number;
  readonly steps: number;
  readonly epochs: number;
}

export interface ComparedScalar {
  readonly name: string;
  /** By run. */
  readonly of: ReadonlyMap<string, OfRun>;
}

/** The trainer's series, and what scripts call the same, with letters and digits alone. */
const trainerSeries: readonly { readonly kind: string; readonly field: string; readonly names: RegExp }[] = [
  { kind: 'step', field: 'loss', names: /^(train(ing)?)?loss(step|epoch)?$/ },
  { kind: 'eval', field: 'loss', names: /^(val(id(ation)?)?|eval|test)loss$/ },
  // In percent, as in main.py; a script's `accuracy` is more often a fraction, and no counterpart.
  { kind: 'step', field: 'top1', names: /^(train(ing)?)?(acc1|top1)$/ },
  { kind: 'eval', field: 'top1', names: /^(val(id(ation)?)?|eval|test)(acc1|top1)$/ },
  { kind: 'step', field: 'top5', names: /^(train(ing)?)?(acc5|top5)$/ },
  { kind: 'eval', field: 'top5', names: /^(val(id(ation)?)?|eval|test)(acc5|top5)$/ },
  { kind: 'step', field: 'lr', names: /^(lr|learningrate)$/ },
];
const letters = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

function counterpart(run: ComparedRun, catalogue: Catalogue, name: string): OfRun | undefined {
  const row = trainerSeries.find(({ names }) => names.test(letters(name)));
  if (row === undefined) return undefined;
  const keys = ownKeys(run, row);
  const names = new Set(keys.map(seriesName));
  const found = catalogue.filter((one) => names.has(seriesName(one)));
  if (found.length === 0) return undefined;
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  const steps = sum(found.map((one) => one.steps));
  // The trainer's epoch is a number of steps.
  const key = { source: rankSource(0), kind: row.kind, field: row.field };
  return { key, keys, points: sum(found.map((one) => one.points)), steps, epochs: steps };
}

/** The scalars of the scripts among the runs, each with the trainer's counterparts. */
export function comparedScalars(runs: readonly ComparedRun[], catalogues: Catalogues): ComparedScalar[] {
  const found = new Map<string, Map<string, OfRun>>();
  for (const run of runs) {
    for (const { name, ranks } of scalarsOf(catalogues.get(run.id) ?? [])) {
      const [first] = ranks;
      if (first === undefined) continue;
      const of = found.get(name) ?? new Map<string, OfRun>();
      const key = { source: rankSource(first.rank), kind: scalarKind, field: scalarField(name) };
      of.set(run.id, { key, keys: [key], points: first.points, steps: first.steps, epochs: first.epochs });
      found.set(name, of);
    }
  }
  for (const run of runs) {
    const catalogue = run.isScript ? undefined : catalogues.get(run.id);
    if (catalogue === undefined) continue;
    for (const [name, of] of found) {
      const own = of.has(run.id) ? undefined : counterpart(run, catalogue, name);
      if (own !== undefined) of.set(run.id, own);
    }
  }
  return [...found].map(([name, of]) => ({ name, of }));
}

/** The chosen axis if all runs have it for most of their points, otherwise the next best. */
export function comparedAxis(
  { of }: ComparedScalar,
  runs: readonly ComparedRun[],
  choice: AxisChoice,
): FeedAxis {
  const all = [...of];
  const epochs = all.every(([id, one]) => {
    const run = runs.find((other) => other.id === id);
    return run?.isScript === false ? run.epochs !== undefined : 2 * one.epochs > one.points;
  });
  const steps = all.every(([, one]) => 2 * one.steps > one.points);
  return nextBest(choice, steps, epochs);
}

export function scalarTracks(scalar: ComparedScalar, runs: readonly ComparedRun[], x: FeedAxis): RunTracks[] {
  return runs.flatMap((run) => {
    const own = scalar.of.get(run.id);
    if (own === undefined) return [];
    const isOurs = own.key.kind === scalarKind;
    const choice = x === 't' ? 'time' : x === 'epoch' && !isOurs ? 'epoch' : 'step';
    return [
      {
        runId: run.id,
        x: x === 'epoch' && !isOurs ? 'step' : x,
        laid: layRun(run, choice),
        wanted: [{ series: scalarField(scalar.name), keys: own.keys }],
      },
    ];
  });
}

/** A line for each compared line with a run that has the scalar. */
export function comparedSpec(scalar: ComparedScalar, compared: readonly ComparedLine[]): ChartSpec {
  const field = scalarField(scalar.name);
  return {
    id: field,
    unit: 'plain',
    log: true,
    smoothable: true,
    lines: compared.flatMap(({ id, name, stroke, runs }) => {
      const having = runs.flatMap((run) => scalar.of.get(run.id) ?? []);
      const [first] = having;
      if (first === undefined) return [];
      return [
        {
          key: first.key,
          name: lineName(id, field),
          meaning: { of: 'run', name } as const,
          colour: stroke.colour,
          dash: stroke.dash,
          sparse: having.every(({ points }) => points <= fewPoints),
        },
      ];
    }),
  };
}

/** Series of the trainer that a chart of a scalar shows already. */
export const shownByScalars = (scalars: readonly ComparedScalar[]): ReadonlySet<string> =>
  new Set(
    scalars.flatMap(({ of }) =>
      [...of.values()].flatMap(({ key }) => (key.kind === scalarKind ? [] : [seriesName(key)])),
    ),
  );
