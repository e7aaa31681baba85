/** What a run's ranks reported beside the trainer's lines; asked again when lines arrive that change it. */
import { useEffect, useState } from 'react';
import { outputKinds, scalarKind, scalarName, type RunOutputs } from '../../../shared/run/run-outputs.ts';
import { numericFields, type Point } from '../../../shared/metrics/metrics.ts';
import { useApi } from '../../api/index.ts';
import { subscribePoints } from '../../state/index.ts';

/** The minimum time between two requests. */
const askGapMs = 1000;
const kinds: ReadonlySet<string> = new Set(outputKinds);

/** Whether the points have an output, or a scalar of a rank that is not among the known ones. */
function isNews(points: readonly Point[], known: ReadonlySet<string>): boolean {
  return points.some(({ source, line }) => {
    if (kinds.has(line.kind)) return true;
    if (line.kind !== scalarKind) return false;
    for (const field of numericFields(line).keys()) {
      const name = scalarName(field);
      if (name !== undefined && !known.has(`${source} ${name}`)) return true;
    }
    return false;
  });
}

/** Undefined until the first answer. */
export function useOutputs(runId: string): RunOutputs | undefined {
  const api = useApi();
  const [found, setFound] = useState<{ readonly runId: string; readonly outputs: RunOutputs }>();
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let known: ReadonlySet<string> = new Set();
    let asking = false;
    const ask = (): void => {
      timer = undefined;
      asking = true;
      api.call('run.outputs', { runId }, stop.signal).then(
        (outputs) => {
          asking = false;
          known = new Set(
            outputs.scalars.flatMap(({ name, ranks }) => ranks.map(({ rank }) => `rank-${rank} ${name}`)),
          );
          setFound({ runId, outputs });
        },
        () => {
          // The charts report that the run's data is missing; asked again with the next lines.
          asking = false;
        },
      );
    };
    ask();
    const unsubscribe = subscribePoints(runId, ({ points, truncated }) => {
      if (truncated || asking || isNews(points, known)) timer ??= setTimeout(ask, askGapMs);
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
      unsubscribe();
    };
  }, [api, runId]);
  return found?.runId === runId ? found.outputs : undefined;
}
