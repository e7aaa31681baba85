/** Loads the marks of a run from its event lines, and again when more of them arrive. */
import { useEffect, useMemo, useState } from 'react';
import type { Point } from '../../../shared/metrics/metrics.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { subscribePoints } from '../../state/index.ts';
import { timelineOf, type Timeline } from '../../../shared/metrics/timeline.ts';
import { markedLines, marksOf, type Mark } from './marks.ts';

/** The maximum number of newest lines; a chart has room for fewer. */
const maxLines = 2000;
const askGapMs = 1000;

export interface RunMarks {
  readonly marks: readonly Mark[];
  readonly timeline: Timeline;
}

const noPoints: readonly Point[] = [];

export function useMarks(run: Pick<RunRecord, 'id' | 'events' | 'recovery' | 'ranks'>): RunMarks {
  const api = useApi();
  const runId = run.id;
  const [known, setKnown] = useState<{ runId: string; points: readonly Point[] }>();
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = (): void => {
      timer = undefined;
      api.call('metrics.lines', { runId, kinds: [...markedLines], limit: maxLines }, stop.signal).then(
        (points) => setKnown({ runId, points }),
        () => undefined, // The charts report that the run's data is missing; here only the marks are lost.
      );
    };
    ask();
    const kinds: readonly string[] = markedLines;
    const unsubscribe = subscribePoints(runId, ({ points, truncated }) => {
      if (truncated || points.some(({ line }) => kinds.includes(line.kind)))
        timer ??= setTimeout(ask, askGapMs);
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
      unsubscribe();
    };
  }, [api, runId]);
  const points = known?.runId === runId ? known.points : noPoints;
  return useMemo(
    () => ({
      marks: marksOf(points, run.events ?? [], run.recovery?.restarts, run.ranks),
      timeline: timelineOf(points),
    }),
    [points, run.events, run.recovery, run.ranks],
  );
}
