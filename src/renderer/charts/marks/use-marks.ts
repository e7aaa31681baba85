/** Loads the marks of a run from its event lines, and again when more of them arrive or the record has news of it. */
import { useEffect, useMemo, useState } from 'react';
import { rankSource, type Point } from '../../../shared/metrics/metrics.ts';
import { firstMember } from '../../../shared/run/membership.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { subscribePoints } from '../../state/index.ts';
import type { Timeline } from '../../../shared/metrics/timeline.ts';
import { markedLines, marksOf, runTimeline, type Mark } from './marks.ts';

/** The maximum number of newest lines; a chart has room for fewer. */
const maxLines = 2000;
const askGapMs = 1000;

export interface RunMarks {
  readonly marks: readonly Mark[];
  readonly timeline: Timeline;
}

const noPoints: readonly Point[] = [];

type Marked = Pick<
  RunRecord,
  'id' | 'state' | 'events' | 'recovery' | 'ranks' | 'pins' | 'memberships' | 'formerFirsts'
>;

export function useMarks(run: Marked): RunMarks {
  const api = useApi();
  const runId = run.id;
  const first = rankSource(firstMember(run));
  // What the record says at a time is placed by the step that had been reached: asked for then, not with every step.
  const news = [run.state, run.events?.at(-1)?.t, run.recovery?.restarts.length, run.pins?.at(-1)?.id].join(
    ' ',
  );
  const [known, setKnown] = useState<{ runId: string; points: readonly Point[] }>();
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = (): void => {
      timer = undefined;
      const newest = { runId, kinds: ['step'], source: first, limit: 1 };
      Promise.all([
        api.call('metrics.lines', { runId, kinds: [...markedLines], limit: maxLines }, stop.signal),
        api.call('metrics.lines', newest, stop.signal),
      ]).then(
        (found) => setKnown({ runId, points: found.flat() }),
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
  }, [api, runId, first, news]);
  const points = known?.runId === runId ? known.points : noPoints;
  const { events, recovery, ranks, memberships, formerFirsts } = run;
  return useMemo(() => {
    const timeline = runTimeline(points, { memberships, formerFirsts }, recovery?.restarts);
    return { marks: marksOf(points, events ?? [], recovery?.restarts, ranks, timeline), timeline };
  }, [points, events, recovery, ranks, memberships, formerFirsts]);
}
