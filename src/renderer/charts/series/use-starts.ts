/** Reads rank 0's `start` lines of a run: steps in an epoch, and where training was resumed. */
import { useEffect, useState } from 'react';
import { metricNumber, rankSource, type MetricLine } from '../../../shared/metrics/metrics.ts';
import { useApi } from '../../api/index.ts';
import { subscribePoints } from '../../state/index.ts';

export interface Starts {
  readonly runId: string;
  readonly stepsPerEpoch: number | undefined;
  /** Where each later attempt continued: step, and Unix seconds. */
  readonly resumes: readonly { readonly step: number; readonly t: number }[];
}

/** The maximum number of resumes that are marked: the newest. */
const maxResumes = 20;

function readStarts(runId: string, lines: readonly MetricLine[]): Starts {
  const last = lines.at(-1);
  const stepsPerEpoch = metricNumber(last?.steps_per_epoch);
  return {
    runId,
    stepsPerEpoch: stepsPerEpoch !== undefined && stepsPerEpoch > 0 ? stepsPerEpoch : undefined,
    resumes: lines.slice(1).map((line) => ({ step: metricNumber(line.start_step) ?? 0, t: line.t })),
  };
}

export function useStarts(runId: string): Starts {
  const api = useApi();
  const [starts, setStarts] = useState<Starts>({ runId, stepsPerEpoch: undefined, resumes: [] });
  useEffect(() => {
    const stop = new AbortController();
    const source = rankSource(0);
    const ask = (): void => {
      api.call('metrics.lines', { runId, kinds: ['start'], source, limit: maxResumes + 1 }, stop.signal).then(
        (points) =>
          setStarts(
            readStarts(
              runId,
              points.map((point) => point.line),
            ),
          ),
        () => undefined, // The charts report that the run's data is missing; here only the marks are lost.
      );
    };
    ask();
    const unsubscribe = subscribePoints(runId, ({ points, truncated }) => {
      if (truncated || points.some((point) => point.source === source && point.line.kind === 'start')) ask();
    });
    return () => {
      stop.abort();
      unsubscribe();
    };
  }, [api, runId]);
  return starts.runId === runId ? starts : { runId, stepsPerEpoch: undefined, resumes: [] };
}
