/** Where a run's training was resumed, and how many steps its epochs have. */
import { useEffect, useMemo, useState } from 'react';
import { metricNumber, type Point } from '../../../shared/metrics/metrics.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { subscribePoints } from '../../state/index.ts';
import type { EpochSteps } from '../scale/epoch-steps.ts';
import { epochLinesOf, readEpochLines, startSource, type EpochLines } from './epoch-lines.ts';
import { epochsOfLines } from './epochs-of-lines.ts';

export interface Starts {
  /** Unknown before the first rank started. */
  readonly epochs: EpochSteps | undefined;
  /** Where each later attempt continued: step, and Unix seconds. */
  readonly resumes: readonly { readonly step: number; readonly t: number }[];
}
interface Read extends Starts {
  readonly runId: string;
}
const nothing: Starts = { epochs: undefined, resumes: [] };

const read = (runId: string, { starts, others }: EpochLines): Read => ({
  runId,
  epochs: epochsOfLines([...starts, ...others]),
  resumes: starts.slice(1).map((line) => ({ step: metricNumber(line.start_step) ?? 0, t: line.t })),
});

export function useStarts(run: RunRecord): Starts {
  const api = useApi();
  const { id: runId } = run;
  const { isUneven, firsts } = epochLinesOf(run);
  const names = firsts.join(' ');
  const sources = useMemo(() => names.split(' '), [names]);
  const [starts, setStarts] = useState<Read>({ runId, ...nothing });
  useEffect(() => {
    const stop = new AbortController();
    const ask = (): void => {
      readEpochLines(api, { runId, isUneven, firsts: sources }, stop.signal).then(
        (lines) => setStarts(read(runId, lines)),
        () => undefined, // The charts report that the run's data is missing; here only the marks are lost.
      );
    };
    ask();
    const unsubscribe = subscribePoints(runId, ({ points, truncated }) => {
      const isNews = ({ source, line }: Point): boolean =>
        (source === startSource && line.kind === 'start') ||
        (isUneven && (line.kind === 'epoch' || line.kind === 'membership') && sources.includes(source));
      if (truncated || points.some(isNews)) ask();
    });
    return () => {
      stop.abort();
      unsubscribe();
    };
  }, [api, runId, isUneven, sources]);
  return starts.runId === runId ? starts : nothing;
}
