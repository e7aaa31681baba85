/** The tracks that charts draw, by their lines' names: the feed's, and the means of bands, computed when points arrive. */
import { useMemo, useRef } from 'react';
import { bandOf, type Band } from './band.ts';
import type { ChartLine, ChartSpec } from './chart-list.ts';
import type { Feed } from './feed.ts';
import type { Track } from './track.ts';

interface CachedBand {
  readonly feed: Feed;
  readonly stamp: number;
  readonly band: Band;
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
  const cache = useRef(new Map<string, CachedBand>());
  const count = useRef(0);
  return useMemo(() => {
    const byName = new Map<string, ChartLine>(
      specs.flatMap((spec) => spec.lines.map((line) => [line.name, line] as const)),
    );
    const banded = (line: ChartLine): CachedBand | undefined => {
      if (feed === undefined || line.bandOf === undefined) return undefined;
      const tracks = line.bandOf.map((key) => feed.track(key));
      const stamp = tracks.reduce((sum, track) => sum + (track?.version ?? 0), 0);
      const known = cache.current.get(line.name);
      if (known?.feed === feed && known.stamp === stamp) return known;
      const band = bandOf(tracks, points);
      count.current += 1;
      const next: CachedBand = {
        feed,
        stamp,
        band,
        track: { x: [...band.x], y: [...band.mean], version: count.current },
      };
      cache.current.set(line.name, next);
      return next;
    };
    return {
      tracks: (name) => {
        const line = byName.get(name);
        if (line === undefined) return undefined;
        return line.bandOf === undefined ? feed?.track(line.key) : banded(line)?.track;
      },
      bands: (name) => {
        const line = byName.get(name);
        return line === undefined ? undefined : banded(line)?.band;
      },
    };
  }, [specs, feed, points]);
}
