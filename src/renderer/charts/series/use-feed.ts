/** Opens a feed while a component is mounted and repaints at most once a frame. */
import { useEffect, useRef, useState } from 'react';
import { seriesName, type SeriesKey } from '../../../shared/metrics/metrics.ts';
import { useApi } from '../../api/index.ts';
import { subscribePoints } from '../../state/index.ts';
import type { FeedAxis } from '../scale/axis.ts';
import { createFeed, type Feed } from './feed.ts';

export interface FeedAsk {
  readonly runId: string;
  readonly keys: readonly SeriesKey[];
  readonly x: FeedAxis;
  readonly range: { readonly from: number; readonly to: number } | undefined;
  /** 0 while the width is unknown: nothing is requested. */
  readonly maxPoints: number;
}

const later = (run: () => void, milliseconds: number): (() => void) => {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
};

interface Shown {
  readonly feed: Feed;
  readonly runId: string;
  readonly x: FeedAxis;
}

/** The feed to draw. While a new one of the same run and axis loads, the old one stays, so that nothing flickers. */
export function useFeed(ask: FeedAsk): Feed | undefined {
  const api = useApi();
  const [shown, setShown] = useState<Shown>();
  const [, repaint] = useState(0);
  const frame = useRef<number>(undefined);
  const { runId, x, maxPoints } = ask;
  const names = ask.keys.map(seriesName).join('\n');
  const from = ask.range?.from;
  const to = ask.range?.to;
  // The keys are rebuilt at each render; their names show whether they are the same.
  const keys = useRef(ask.keys);
  keys.current = ask.keys;

  useEffect(() => {
    if (maxPoints === 0 || keys.current.length === 0) return undefined;
    const feed = createFeed({
      api,
      runId,
      keys: keys.current,
      x,
      range: from === undefined || to === undefined ? undefined : { from, to },
      maxPoints,
      subscribe: (listener) => subscribePoints(runId, listener),
      later,
    });
    const stop = feed.onChange(() => {
      setShown((now) => (now?.feed === feed ? now : { feed, runId, x }));
      frame.current ??= requestAnimationFrame(() => {
        frame.current = undefined;
        repaint((count) => count + 1);
      });
    });
    return () => {
      stop();
      feed.close();
      if (frame.current !== undefined) cancelAnimationFrame(frame.current);
      frame.current = undefined;
    };
  }, [api, runId, x, names, from, to, maxPoints]);

  return shown?.runId === runId && shown.x === x ? shown.feed : undefined;
}
