/** Reads the scalars of runs as single numbers, from the index: its summaries have every extreme. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { rankSource, type SeriesKey } from '../../../shared/metrics/metrics.ts';
import { scalarField, scalarKind, scalarsOf } from '../../../shared/run/run-outputs.ts';
import { valuedRank, valuesOf, type RunScalarValues } from '../../../shared/run/scalar-values.ts';
import type { Store } from '../../store/index.ts';

/** The first and the last point, and the extremes of two parts; with fewer a gap would hide an extreme. */
const maxPoints = 8;

/** In the order of the request. A deleted run has no scalars. */
export async function readScalarValues(
  store: Pick<Store, 'catalogue' | 'series'>,
  runIds: readonly string[],
  asked: readonly string[],
): Promise<RunScalarValues[]> {
  const found: RunScalarValues[] = [];
  for (const runId of runIds)
    found.push(
      await readOne(store, runId, asked).catch((error: unknown) => {
        if (error instanceof RinglabError && error.code === 'not_found')
          return { runId, names: [], values: {} };
        throw error;
      }),
    );
  return found;
}

type Values = readonly (number | null)[];

interface Wanted {
  readonly name: string;
  readonly key: SeriesKey;
  readonly hasSteps: boolean;
}

async function readOne(
  store: Pick<Store, 'catalogue' | 'series'>,
  runId: string,
  asked: readonly string[],
): Promise<RunScalarValues> {
  const scalars = scalarsOf(await store.catalogue(runId));
  const wanted = scalars.flatMap((scalar): Wanted[] => {
    const of = valuedRank(scalar);
    if (of === undefined || !asked.includes(scalar.name)) return [];
    const key = { source: rankSource(of.rank), kind: scalarKind, field: scalarField(scalar.name) };
    // As its chart is drawn: along steps it would lack the points without one.
    return [{ name: scalar.name, key, hasSteps: 2 * of.steps > of.points }];
  });
  const along = async (x: 'step' | 't', some: readonly Wanted[]): Promise<ReadonlyMap<string, Values>> => {
    if (some.length === 0) return new Map<string, Values>();
    const found = await store.series({ runId, series: some.map(({ key }) => key), x, maxPoints });
    return new Map(some.map(({ name }, index) => [name, found[index]?.y ?? []]));
  };
  // What was logged last is the last along time alone: a step may be one of its epoch. Along time nothing is discarded.
  const logged = await along('t', wanted);
  const kept = await along(
    'step',
    wanted.filter(({ hasSteps }) => hasSteps),
  );
  return {
    runId,
    names: scalars.map(({ name }) => name),
    values: Object.fromEntries(
      wanted.map(({ name }) => {
        const all = logged.get(name) ?? [];
        return [name, valuesOf(kept.get(name) ?? all, all)];
      }),
    ),
  };
}
