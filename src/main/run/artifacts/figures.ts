/** Key figures of runs, computed from their stored lines. */
import { rankSource, type Point } from '../../../shared/metrics/metrics.ts';
import { figuresOf, type RunFigures } from '../../../shared/run/run-figures.ts';
import { membershipOf } from '../../../shared/run/membership.ts';
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
    const linesOf = (points: readonly Point[]) => points.map(({ line }) => line);
    const [begun, changes, samples] = await Promise.all([
      store.lines({ runId, kinds: ['start'], source: rankSource(0), limit: 1 }),
      store.lines({ runId, kinds: ['membership'], limit: 1 }),
      store.lines({ runId, kinds: ['sample'], limit: judgedSamples }),
    ]).catch(() => [[], [], []]);
    // Ranks that were lost in an earlier attempt are there again.
    const [fewer] = linesOf(changes).filter((line) => line.t > (begun[0]?.line.t ?? 0));
    const first = fewer === undefined ? undefined : membershipOf(fewer)?.ranks[0];
    const source = rankSource(first ?? 0);
    const steps = await store
      .lines({ runId, kinds: ['step'], source, limit: judgedSteps })
      .catch((): Point[] => []);
    const judged = [...linesOf(begun), ...(fewer === undefined ? [] : [fewer]), ...linesOf(steps)];
    found.push(figuresOf(runId, judged, linesOf(samples)));
  }
  return found;
}
