/** Opens the feeds of several runs while a component is mounted; repaints at most once a frame. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { RinglabError } from '../../../shared/base/errors.ts';
import { useApi } from '../../api/index.ts';
import { subscribePoints } from '../../state/index.ts';
import type { AxisChoice } from '../scale/axis.ts';
import { comparedKeys, layRun, layTrack, lineName, type ComparedRun } from './compare-list.ts';
import { createFeed, type Feed } from './feed.ts';
import type { Track } from './track.ts';

export interface RunSetAsk {
  readonly runs: readonly ComparedRun[];
  readonly choice: AxisChoice;
  /** On the common axis. */
  readonly range: { readonly from: number; readonly to: number } | undefined;
  /** 0 while the width is unknown. */
  readonly maxPoints: number;
}

export interface RunSet {
  trackOf(name: string): Track | undefined;
  readonly loading: boolean;
  readonly error: RinglabError | undefined;
}

const later = (run: () => void, milliseconds: number): (() => void) => {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
};

export function useRunSet({ runs, choice, range, maxPoints }: RunSetAsk): RunSet {
  const api = useApi();
  const [feeds, setFeeds] = useState<ReadonlyMap<string, Feed>>(new Map());
  const [version, repaint] = useState(0);
  const latest = useRef(runs);
  latest.current = runs;
  const ids = runs.map((run) => `${run.id} ${run.stepsPerEpoch ?? ''}`).join('\n');
  const from = range?.from;
  const to = range?.to;

  useEffect(() => {
    if (maxPoints === 0) return undefined;
    let frame: number | undefined;
    const opened = new Map<string, Feed>();
    for (const run of latest.current) {
      const { offset, scale } = layRun(run, choice);
      const feed = createFeed({
        api,
        runId: run.id,
        keys: comparedKeys,
        x: choice === 'time' ? 't' : 'step',
        range:
          from === undefined || to === undefined
            ? undefined
            : { from: from * scale + offset, to: to * scale + offset },
        maxPoints,
        subscribe: (listener) => subscribePoints(run.id, listener),
        later,
      });
      feed.onChange(() => {
        frame ??= requestAnimationFrame(() => {
          frame = undefined;
          repaint((count) => count + 1);
        });
      });
      opened.set(run.id, feed);
    }
    setFeeds(opened);
    return () => {
      for (const feed of opened.values()) feed.close();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [api, ids, choice, from, to, maxPoints]);

  return useMemo(() => {
    const laid = new Map<string, Track>();
    for (const run of latest.current) {
      const feed = feeds.get(run.id);
      if (feed === undefined) continue;
      for (const key of comparedKeys) {
        const track = feed.track(key);
        if (track !== undefined) laid.set(lineName(run.id, key), layTrack(track, layRun(run, choice)));
      }
    }
    const all = [...feeds.values()];
    return {
      trackOf: (name) => laid.get(name),
      loading: all.length === 0 || all.some((feed) => feed.state.phase === 'loading'),
      error: all.find((feed) => feed.state.error !== undefined)?.state.error,
    };
    // Feeds change in place: `version` shows when.
  }, [feeds, version, choice]);
}
