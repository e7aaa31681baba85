/** Loads the marks of a run from its event lines, and again when more of them arrive or the record has news of it. */
import { useEffect, useMemo, useState } from 'react';
import type { Point } from '../../../shared/metrics/metrics.ts';
import { firstMember, firstMembers } from '../../../shared/run/membership.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { subscribePoints } from '../../state/index.ts';
import type { Timeline } from '../../../shared/metrics/timeline.ts';
import { bringMarks, inOneOrder, marksQueries } from './marked-lines.ts';
import { marksOf, runTimeline, type Mark } from './marks.ts';

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
  const current = firstMember(run);
  const firsts = [...firstMembers(run).filter((rank) => rank !== current), current].join(' ');
  // What the record says at a time is placed by the step that had been reached: asked for then, not with every step.
  const news = [run.state, run.events?.at(-1)?.t, run.recovery?.restarts.length, run.pins?.at(-1)?.id].join(
    ' ',
  );
  const [known, setKnown] = useState<{ runId: string; points: readonly Point[] }>();
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const members = firsts.split(' ').map(Number);
    const ask = (): void => {
      timer = undefined;
      Promise.all(
        marksQueries(members).map((query) => api.call('metrics.lines', { runId, ...query }, stop.signal)),
      ).then(
        (found) => setKnown({ runId, points: inOneOrder(found) }),
        () => undefined, // The charts report that the run's data is missing; here only the marks are lost.
      );
    };
    ask();
    const unsubscribe = subscribePoints(runId, ({ points, truncated }) => {
      if (truncated || bringMarks(points, members)) timer ??= setTimeout(ask, askGapMs);
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
      unsubscribe();
    };
  }, [api, runId, firsts, news]);
  const points = known?.runId === runId ? known.points : noPoints;
  const { events, recovery, ranks, memberships, formerFirsts } = run;
  return useMemo(() => {
    const timeline = runTimeline(points, { memberships, formerFirsts }, recovery?.restarts);
    return { marks: marksOf(points, events ?? [], recovery?.restarts, ranks, timeline), timeline };
  }, [points, events, recovery, ranks, memberships, formerFirsts]);
}
