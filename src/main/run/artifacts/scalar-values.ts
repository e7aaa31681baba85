/** Reads the scalars of runs as single numbers, from the index: its summaries have every extreme. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { rankSource } from '../../../shared/metrics/metrics.ts';
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

async function readOne(
  store: Pick<Store, 'catalogue' | 'series'>,
  runId: string,
  asked: readonly string[],
): Promise<RunScalarValues> {
  const scalars = scalarsOf(await store.catalogue(runId));
  const wanted = scalars.filter(({ name }) => asked.includes(name));
  const keys = wanted.flatMap((scalar) => {
    const rank = valuedRank(scalar)?.rank;
    return rank === undefined
      ? []
      : [{ source: rankSource(rank), kind: scalarKind, field: scalarField(scalar.name) }];
  });
  const series = keys.length === 0 ? [] : await store.series({ runId, series: keys, x: 'step', maxPoints });
  return {
    runId,
    names: scalars.map(({ name }) => name),
    values: Object.fromEntries(wanted.map(({ name }, index) => [name, valuesOf(series[index]?.y ?? [])])),
  };
}
