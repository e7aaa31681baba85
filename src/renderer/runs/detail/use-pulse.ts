/** The ranks' pulse for a component, at most twice a second. */
import { useEffect, useState } from 'react';
import { useApi } from '../../api/index.ts';
import { subscribePoints } from '../../state/index.ts';
import { beat, type Pulse } from './rank-pulse.ts';

const repaintMs = 500;
/** Recent steps to begin with: some a rank. */
const stepsEach = 8;

export function usePulse(runId: string, worldSize: number): Pulse {
  const api = useApi();
  const [shown, setShown] = useState<Pulse>(new Map());
  useEffect(() => {
    let pulse: Pulse = new Map();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = new AbortController();
    setShown(pulse);
    const limit = Math.min(5000, Math.max(1, worldSize) * stepsEach);
    api.call('metrics.lines', { runId, kinds: ['step'], limit }, stop.signal).then(
      (points) => {
        // What came live meanwhile is newer, and stays in front.
        const live = pulse;
        pulse = beat(new Map(), points);
        for (const [rank, beats] of live) pulse = new Map(pulse).set(rank, beats);
        setShown(pulse);
      },
      () => undefined, // The table shows the ranks all the same; their speed comes with the next live steps.
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
  return shown;
}
