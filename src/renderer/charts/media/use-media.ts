/** A run's histograms and pictures; asked again when lines of them arrive. */
import { useEffect, useState } from 'react';
import { mediaKinds, type RunMedia } from '../../../shared/run/run-media.ts';
import { useApi } from '../../api/index.ts';
import { subscribePoints } from '../../state/index.ts';

/** The minimum time between two requests: histograms are no live view. */
const askGapMs = 3000;
const kinds: ReadonlySet<string> = new Set(mediaKinds);

/** Undefined until the first answer. */
export function useMedia(runId: string): RunMedia | undefined {
  const api = useApi();
  const [found, setFound] = useState<{ readonly runId: string; readonly media: RunMedia }>();
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = (): void => {
      timer = undefined;
      api.call('run.media', { runId }, stop.signal).then(
        (media) => setFound({ runId, media }),
        () => undefined, // The charts report that the run's data is missing.
      );
    };
    ask();
    const unsubscribe = subscribePoints(runId, ({ points, truncated }) => {
      if (truncated || points.some(({ line }) => kinds.has(line.kind))) timer ??= setTimeout(ask, askGapMs);
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
      unsubscribe();
    };
  }, [api, runId]);
  return found?.runId === runId ? found.media : undefined;
}
