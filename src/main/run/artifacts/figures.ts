/** Key figures of runs, computed from their stored lines. */
import { metricNumber, rankSource, type Point } from '../../../shared/metrics/metrics.ts';
import { figuresOf, firstJudged, type RunFigures } from '../../../shared/run/run-figures.ts';
import { membershipOf } from '../../../shared/run/membership.ts';
import type { Store } from '../../store/index.ts';

/** Enough steps for a mean over many exchanges, few enough to show the current speed. */
const judgedSteps = 400;
/** Of all nodes together, at one a second and node. */
const judgedSamples = 400;
/** So many attempts in a row may have ended before a step that says how fast they are. */
const judgedStarts = 20;

/**
 * The newest attempt with steps that are judged, with its start: its batch may be another one's than that of the steps before.
 * @param starts and steps of one rank, oldest first
 */
function newestAttempt(starts: readonly Point[], steps: readonly Point[]): readonly Point[] {
  let left = steps;
  for (const start of starts.toReversed()) {
    const own = left.filter(({ line }) => line.seq > start.line.seq);
    const from = firstJudged(start.line);
    if (own.some(({ line }) => (metricNumber(line.step) ?? 0) >= from)) return [start, ...own];
    left = left.slice(0, left.length - own.length);
  }
  return left;
}

/** In the order of the request. A deleted run has no figures. */
export async function readFigures(
  store: Pick<Store, 'lines'>,
  runIds: readonly string[],
): Promise<RunFigures[]> {
  const found: RunFigures[] = [];
  for (const runId of runIds) {
    const linesOf = (points: readonly Point[]) => points.map(({ line }) => line);
    const [begun, changes, samples] = await Promise.all([
      store.lines({ runId, kinds: ['start'], source: rankSource(0), limit: judgedStarts }),
      store.lines({ runId, kinds: ['membership'], limit: 1 }),
      store.lines({ runId, kinds: ['sample'], limit: judgedSamples }),
    ]).catch(() => [[], [], []]);
    // Ranks that were lost in an earlier attempt are there again.
    const newest = begun.at(-1);
    const since = newest?.line.t ?? 0;
    const [fewer] = linesOf(changes).filter((line) => line.t > since);
    const first = fewer === undefined ? undefined : membershipOf(fewer)?.ranks[0];
    const source = rankSource(first ?? 0);
    const steps = await store
      .lines({ runId, kinds: ['step'], source, limit: judgedSteps })
      .catch((): Point[] => []);
    const judged =
      fewer === undefined
        ? linesOf(newestAttempt(begun, steps))
        : [
            ...linesOf(newest === undefined ? [] : [newest]),
            fewer,
            // An attempt before may have done the same steps with more ranks.
            ...linesOf(steps).filter((line) => line.t >= since),
          ];
    found.push(figuresOf(runId, judged, linesOf(samples)));
  }
  return found;
}
