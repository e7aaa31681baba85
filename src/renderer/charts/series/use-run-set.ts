/** Opens the feeds of several runs while a component is mounted; repaints at most once a frame. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { RinglabError } from '../../../shared/base/errors.ts';
import { seriesName } from '../../../shared/metrics/metrics.ts';
import { useApi } from '../../api/index.ts';
import { subscribePoints } from '../../state/index.ts';
import type { Range } from '../scale/axis.ts';
import { feedRange, layTrack, lineName, type RunTracks } from './compare-list.ts';
import { createFeed, type Feed } from './feed.ts';
import { joinedTrack, type Track } from './track.ts';

export interface RunSetAsk {
  readonly runs: readonly RunTracks[];
  /** On the common axis. */
  readonly range: Range | undefined;
  /** 0 while the width is unknown. */
  readonly maxPoints: number;
}

export interface RunSet {
  /** @param name as `lineName` makes it of a run and a series */
  trackOf(name: string): Track | undefined;
  readonly loading: boolean;
  readonly error: RinglabError | undefined;
}

const later = (run: () => void, milliseconds: number): (() => void) => {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
};

/** Equal for runs that ask for the same. Where they are laid may change with every epoch, and needs no other points. */
const identityOf = ({ runId, x, wanted }: RunTracks): string =>
  [runId, x, ...wanted.flatMap(({ keys }) => keys.map(seriesName))].join(' ');

export function useRunSet({ runs, range, maxPoints }: RunSetAsk): RunSet {
  const api = useApi();
  const [opened, setOpened] = useState<{ readonly ids: string; readonly feeds: ReadonlyMap<string, Feed> }>();
  const [version, repaint] = useState(0);
  const latest = useRef({ runs, range });
  latest.current = { runs, range };
  const ids = runs.map(identityOf).join('\n');
  const ranges = runs
    .map(({ laid }) => feedRange(laid, range))
    .map((own) => `${own?.from} ${own?.to}`)
    .join('\n');

  useEffect(() => {
    if (maxPoints === 0) return undefined;
    let frame: number | undefined;
    const feeds = new Map<string, Feed>();
    for (const { runId, x, laid, wanted } of latest.current.runs) {
      const feed = createFeed({
        api,
        runId,
        keys: wanted.flatMap((one) => one.keys),
        x,
        range: feedRange(laid, latest.current.range),
        maxPoints,
        subscribe: (listener) => subscribePoints(runId, listener),
        later,
      });
      feed.onChange(() => {
        frame ??= requestAnimationFrame(() => {
          frame = undefined;
          repaint((count) => count + 1);
        });
      });
      feeds.set(runId, feed);
    }
    setOpened({ ids, feeds });
    return () => {
      for (const feed of feeds.values()) feed.close();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [api, ids, ranges, maxPoints]);

  return useMemo(() => {
    // Feeds of another axis would be laid at the wrong places.
    const feeds = opened?.ids === ids ? opened.feeds : new Map<string, Feed>();
    const laid = new Map<string, Track>();
    for (const run of runs) {
      const feed = feeds.get(run.runId);
      if (feed === undefined) continue;
      for (const { series, keys } of run.wanted) {
        const tracks = keys.map((key) => feed.track(key));
        const track = tracks.length === 1 ? tracks[0] : joinedTrack(tracks);
        if (track !== undefined) laid.set(lineName(run.runId, series), layTrack(track, run.laid));
      }
    }
    const all = [...feeds.values()];
    return {
      trackOf: (name) => laid.get(name),
      loading: runs.length > 0 && (all.length === 0 || all.some((feed) => feed.state.phase === 'loading')),
      error: all.find((feed) => feed.state.error !== undefined)?.state.error,
    };
    // Feeds change in place: `version` shows when.
  }, [opened, ids, runs, version]);
}
