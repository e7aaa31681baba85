/** The ranks' speed for a component, updated at most twice a second. */
import { useEffect, useMemo, useState } from 'react';
import type { RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { subscribePoints } from '../../state/index.ts';
import { beat, ofMembers, type Pulse } from './rank-pulse.ts';

const repaintMs = 500;
/** Recent steps to load first: some for each rank. */
const stepsEach = 8;

export function usePulse({ id: runId, ranks, memberships }: RunRecord): Pulse {
  const api = useApi();
  const worldSize = ranks.length;
  const [shown, setShown] = useState<Pulse>(new Map());
  useEffect(() => {
    let pulse: Pulse = new Map();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = new AbortController();
    setShown(pulse);
    const limit = Math.min(5000, Math.max(1, worldSize) * stepsEach);
    api.call('metrics.lines', { runId, kinds: ['step'], limit }, stop.signal).then(
      (points) => {
        // Live lines that arrived during the request are newer, and stay in front.
        const live = pulse;
        pulse = beat(new Map(), points);
        for (const [rank, beats] of live) pulse = new Map(pulse).set(rank, beats);
        setShown(pulse);
      },
      () => undefined, // The table shows the ranks anyway; their speed follows with the next live steps.
    );
    const unsubscribe = subscribePoints(runId, ({ points }) => {
      pulse = beat(pulse, points);
      timer ??= setTimeout(() => {
        timer = undefined;
        setShown(pulse);
      }, repaintMs);
    });
    return () => {
      stop.abort();
      unsubscribe();
      clearTimeout(timer);
    };
  }, [api, runId, worldSize]);
  return useMemo(() => ofMembers(shown, { memberships }), [shown, memberships]);
}
