/** Key figures of runs, computed from their stored lines. */
import { rankSource, type Point } from '../../../shared/metrics/metrics.ts';
import { figuresOf, type RunFigures } from '../../../shared/run/run-figures.ts';
import type { Store } from '../../store/index.ts';

/** Enough steps for a mean over many exchanges, few enough to show the current speed. */
const judgedSteps = 400;
/** Of all nodes together, at one a second and node. */
const judgedSamples = 400;

/** In the order of the request. A deleted run has no figures. */
export async function readFigures(
  store: Pick<Store, 'lines'>,
  runIds: readonly string[],
): Promise<RunFigures[]> {
  const found: RunFigures[] = [];
  for (const runId of runIds) {
    const source = rankSource(0);
    const [start, steps, samples] = await Promise.all([
      store.lines({ runId, kinds: ['start'], source, limit: 1 }),
      store.lines({ runId, kinds: ['step'], source, limit: judgedSteps }),
      store.lines({ runId, kinds: ['sample'], limit: judgedSamples }),
    ]).catch(() => [[], [], []]);
    const linesOf = (points: readonly Point[]) => points.map(({ line }) => line);
    found.push(figuresOf(runId, linesOf([...start, ...steps]), linesOf(samples)));
  }
  return found;
}
