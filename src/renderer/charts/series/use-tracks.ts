/** The tracks that charts draw, by their lines' names: the feed's, and those of several series, computed when points arrive. */
import { useMemo, useRef } from 'react';
import { bandOf, type Band } from './band.ts';
import type { ChartLine, ChartSpec } from './chart-list.ts';
import type { Feed } from './feed.ts';
import { joinedTrack, type Track } from './track.ts';

interface Computed {
  readonly feed: Feed;
  readonly stamp: number;
  readonly band: Band | undefined;
  readonly track: Track;
}

export function useTracks(
  specs: readonly ChartSpec[],
  feed: Feed | undefined,
  points: number,
): {
  readonly tracks: (name: string) => Track | undefined;
  readonly bands: (name: string) => Band | undefined;
} {
  const cache = useRef(new Map<string, Computed>());
  const count = useRef(0);
  return useMemo(() => {
    const byName = new Map<string, ChartLine>(
      specs.flatMap((spec) => spec.lines.map((line) => [line.name, line] as const)),
    );
    const computed = (line: ChartLine): Computed | undefined => {
      const keys = line.bandOf ?? line.joinedOf;
      if (feed === undefined || keys === undefined) return undefined;
      const tracks = keys.map((key) => feed.track(key));
      const stamp = tracks.reduce((sum, track) => sum + (track?.version ?? 0), 0);
      const known = cache.current.get(line.name);
      if (known?.feed === feed && known.stamp === stamp) return known;
      const band = line.bandOf === undefined ? undefined : bandOf(tracks, points);
      count.current += 1;
      const { x, y, before, after }: Omit<Track, 'version'> =
        band === undefined ? joinedTrack(tracks) : { x: [...band.x], y: [...band.mean] };
      const next: Computed = { feed, stamp, band, track: { x, y, before, after, version: count.current } };
      cache.current.set(line.name, next);
      return next;
    };
    return {
      tracks: (name) => {
        const line = byName.get(name);
        if (line === undefined) return undefined;
        const isOne = line.bandOf === undefined && line.joinedOf === undefined;
        return isOne ? feed?.track(line.key) : computed(line)?.track;
      },
      bands: (name) => {
        const line = byName.get(name);
        return line === undefined ? undefined : computed(line)?.band;
      },
    };
  }, [specs, feed, points]);
}
