/** The tracks of compared lines: a run's own, or the mean of a group with a band from its minimum to its maximum. */
import { useMemo } from 'react';
import { bandOf, meanOutside, type Band } from './band.ts';
import { lineName, type ComparedLine } from './compare-list.ts';
import { isDrawn, type Track } from './track.ts';
import type { RunSet } from './use-run-set.ts';

export interface LineTracks {
  trackOf(name: string): Track | undefined;
  bandOf(name: string): Band | undefined;
}

export function useLineTracks(
  set: RunSet,
  lines: readonly ComparedLine[],
  series: readonly string[],
  points: number,
): LineTracks {
  const names = series.join('\n');
  return useMemo(() => {
    const tracks = new Map<string, Track>();
    const bands = new Map<string, Band>();
    for (const { id, runs } of lines) {
      for (const one of names.split('\n')) {
        const own = runs.map((run) => set.trackOf(lineName(run.id, one)));
        const name = lineName(id, one);
        if (own.length === 1) {
          const [track] = own;
          if (track !== undefined) tracks.set(name, track);
          continue;
        }
        const band = bandOf(own, points, 'tracks');
        const version = own.reduce((sum, track) => sum + (track?.version ?? 0), 0);
        const track: Track = { x: [...band.x], y: [...band.mean], version, ...meanOutside(own) };
        if (!isDrawn(track)) continue;
        tracks.set(name, track);
        if (band.x.length > 0) bands.set(name, band);
      }
    }
    return { trackOf: (name) => tracks.get(name), bandOf: (name) => bands.get(name) };
  }, [set, lines, names, points]);
}
