/** Reads which scalars, files and problems a run's ranks reported, from its stored lines. */
import {
  maxOutputLines,
  outputKinds,
  outputsOf,
  scalarsOf,
  type RunOutputs,
} from '../../../shared/run/run-outputs.ts';
import type { Store } from '../../store/index.ts';

/** Of each kind the newest lines, so that many of one kind do not hide the others. */
export async function readOutputs(
  store: Pick<Store, 'lines' | 'catalogue'>,
  runId: string,
): Promise<RunOutputs> {
  const [catalogue, ...lines] = await Promise.all([
    store.catalogue(runId),
    ...outputKinds.map((kind) => store.lines({ runId, kinds: [kind], limit: maxOutputLines })),
  ]);
  return outputsOf(scalarsOf(catalogue), lines.flat());
}
