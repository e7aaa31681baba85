/** Histograms and pictures in the TensorBoard files of a script: read from the collected lines. Pure. */
import * as z from 'zod';
import { asOneLine } from '../base/plain-text.ts';
import type { Point } from '../metrics/metrics.ts';
import { collectivesKind } from './collective-wait.ts';
import { profileKind } from './rank-profile.ts';
import { longestScalarName, OutputPath, rankOf, scalarKind } from './run-outputs.ts';

export const mediaKinds = ['histogram', 'picture'] as const;
/** Lines of records in files that a script wrote: `at` says which file, and up to where it was read (native/PROTOCOL.md). */
export const recordKinds = [
  scalarKind,
  collectivesKind,
  profileKind,
  ...mediaKinds,
  'script_config',
] as const;
/** Of each kind the newest lines. */
export const maxMediaLines = 2000;

const Shared = z.object({
  rank: z.number().int().nonnegative(),
  /** The number of its line: names it among the rank's. */
  seq: z.number().int().nonnegative(),
  t: z.number(),
  step: z.number().optional(),
  name: z
    .string()
    .min(1)
    .max(2 * longestScalarName)
    .transform((name) => asOneLine(name).slice(0, longestScalarName)),
});

export const RunHistogram = Shared.extend({
  low: z.number(),
  high: z.number(),
  /** Bins of equal width from `low` to `high`. */
  counts: z.array(z.number().nonnegative()).min(1).max(64),
}).refine(({ low, high }) => low <= high);
export type RunHistogram = z.infer<typeof RunHistogram>;

/** The collector reads no longer records. */
export const maxEventPicture = 1024 * 1024;
export const PictureFormat = z.enum(['png', 'jpeg', 'gif']);
export type PictureFormat = z.infer<typeof PictureFormat>;

const edge = z.number().int().nonnegative().max(65_535);
export const RunPicture = Shared.extend({
  format: PictureFormat,
  /** As the file says; 0 where it does not. */
  width: edge,
  height: edge,
});
export type RunPicture = z.infer<typeof RunPicture>;

/** Where a picture's bytes are: for the service alone. */
export const StoredPicture = RunPicture.extend({
  file: OutputPath,
  offset: z.number().int().nonnegative(),
  length: z.number().int().positive().max(maxEventPicture),
});
export type StoredPicture = z.infer<typeof StoredPicture>;

export const RunMedia = z.object({
  /** Oldest first. */
  histograms: z.array(RunHistogram),
  pictures: z.array(RunPicture),
});
export type RunMedia = z.infer<typeof RunMedia>;

/** Undefined where the line is no picture as specified: it comes from a node. */
export function storedPicture({ source, line }: Point): StoredPicture | undefined {
  const parsed = StoredPicture.safeParse({ ...line, rank: rankOf(source) });
  return line.kind === 'picture' && parsed.success ? parsed.data : undefined;
}

/** @param points lines of `mediaKinds`, oldest first; those that are not as specified are left out */
export function mediaOf(points: readonly Point[]): RunMedia {
  const histograms: RunHistogram[] = [];
  const pictures: RunPicture[] = [];
  for (const point of points) {
    if (point.line.kind === 'histogram') {
      const parsed = RunHistogram.safeParse({ ...point.line, rank: rankOf(point.source) });
      if (parsed.success) histograms.push(parsed.data);
      continue;
    }
    const stored = storedPicture(point);
    if (stored === undefined) continue;
    pictures.push(RunPicture.parse(stored));
  }
  return { histograms, pictures };
}
